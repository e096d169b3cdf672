using System;
using System.Threading;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Reporting;

namespace BigPile.Caching;

/// <summary>A table of a <see cref="PileCache"/>, whatever its keys and values are.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public abstract class CacheTable
{
    private protected CacheTable(TableCore core) => Core = core;

    /// <summary>The table's name, unique within its cache.</summary>
    public string Name => Core.Name;

    /// <summary>
    /// The number of entries, with those that expired or whose tag was removed, and that were not swept yet; until
    /// <see cref="CacheReadiness.IsReady"/>, of those that were found so far.
    /// </summary>
    public long Count => Statistics.EntryCount;

    /// <summary>What the table holds and did.</summary>
    public TableStatistics Statistics => Core.Statistics;

    /// <summary>How the table behaves.</summary>
    public TableOptions Options => Core.Options;

    /// <summary>The type of its keys.</summary>
    public abstract Type KeyType { get; }

    internal TableCore Core { get; }

    /// <summary>Changes how the table behaves, while it is used. What is over a lowered limit is evicted before this returns.</summary>
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
    /// Removes all entries with a tag that were put before. Costs the same however many there are; a sweep gives their memory back.
    /// </summary>
    /// <param name="tag">The tag; not empty.</param>
    /// <exception cref="PileFullException">There is no room for the mark; nothing was removed.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void RemoveByTag(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        Core.RemoveByTag(tag);
    }

    /// <summary>Removes all entries that were put before, at one instant, and gives their memory back before it returns.</summary>
    /// <remarks>In a full pile some go before the others: the room for the mark that all go by is theirs.</remarks>
    /// <param name="progress">
    /// If there is one, is told the buckets of the index whose entries are gone, of those that there were at the beginning. No lock is
    /// held and no other call waits meanwhile.
    /// </param>
    /// <exception cref="PileFullException">
    /// The pile is full, its index is being rebuilt, and what the index knows already gave no room for a mark of the rest. Clear it again.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Clear(IProgress<PileProgress>? progress = null)
    {
        var gauge = new ProgressGauge(progress);
        gauge.Begin(Core.BucketCount);
        Core.Clear(gauge);
        gauge.Complete();
    }

    /// <summary>
    /// Frees all entries that expired or whose tag was removed, and evicts what is over a limit. The cache does so by itself, some at a
    /// time.
    /// </summary>
    /// <param name="stop">Stops between two parts.</param>
    /// <returns>How many entries were freed, but for those over a limit.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public long Sweep(CancellationToken stop = default) => Core.SweepAll(stop);
}
