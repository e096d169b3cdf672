using System;
using System.Threading;
using BigPile.Caching.Tables;
using BigPile.Reporting;

namespace BigPile.Caching;

/// <summary>A table of a <see cref="PileCache"/>, independent of its key and value types.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public abstract class CacheTable
{
    private protected CacheTable(TableEngine engine) => Core = engine;

    /// <summary>The table's name, unique within its cache.</summary>
    public string Name => Core.Name;

    /// <summary>
    /// The number of entries, including those that expired or whose tag was removed and that were not swept yet; until
    /// <see cref="CacheReadiness.IsReady"/>, the number found so far.
    /// </summary>
    public long Count => Statistics.EntryCount;

    /// <summary>The table's statistics.</summary>
    public TableStatistics Statistics => Core.Statistics;

    /// <summary>The table's options.</summary>
    public TableOptions Options => Core.Options;

    /// <summary>The type of the keys.</summary>
    public abstract Type KeyType { get; }

    internal TableEngine Core { get; }

    /// <summary>Changes the options of a table in use. What is over a lowered limit is evicted before this returns.</summary>
    /// <param name="options">The new options, with this table's name.</param>
    /// <exception cref="ArgumentException">An option is out of its range, or can't be changed on a live table.</exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public void Configure(TableOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.Name != Name)
            throw new ArgumentException($"The options are those of the table '{options.Name}', and this is '{Name}'.", nameof(options));
        Core.Configure(options);
    }

    /// <summary>
    /// Removes all entries with a tag that were put before. The cost does not depend on their number; a sweep frees their memory.
    /// </summary>
    /// <param name="tag">The tag; not empty.</param>
    /// <exception cref="PileFullException">The pile is full, and the mark of the removal does not fit. Nothing was removed.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void RemoveByTag(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        Core.TagRemoval.RemoveByTag(tag);
    }

    /// <summary>Removes all entries that were put before, at one instant, and frees their memory before it returns.</summary>
    /// <remarks>In a full pile some are removed before the others: they make space for the mark of the removal.</remarks>
    /// <param name="progress">
    /// Receives the number of index buckets that are done, of those that existed at the beginning. No lock is held and no other call waits
    /// meanwhile.
    /// </param>
    /// <exception cref="PileFullException">
    /// The pile is full, its index is being rebuilt, and the entries known so far freed no space for the mark of the rest. Clear it again.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Clear(IProgress<PileProgress>? progress = null)
    {
        var gauge = new ProgressGauge(progress);
        gauge.Begin(Core.BucketCount);
        new Clear(Core).Run(gauge);
        gauge.Complete();
    }

    /// <summary>
    /// Frees all entries that expired or whose tag was removed, and evicts what is over a limit. The cache does this by itself, in parts.
    /// </summary>
    /// <param name="stop">Cancels between two parts.</param>
    /// <returns>The number of entries freed, without those over a limit.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public long Sweep(CancellationToken stop = default) => Core.Sweep.All(stop);
}
