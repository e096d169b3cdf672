using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Reporting;

namespace BigPile.Caching;

/// <summary>A table of a <see cref="PileCache"/>, independent of its key and value types.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public abstract class CacheTable
{
    private const int MaxInspectedBuckets = 4096;

    [ThreadStatic]
    private static List<EntryCopy>? _spareCopies; // taken while it is used: a collection is application code

    private volatile bool _isInspected;

    private protected CacheTable(TableEngine engine) => Core = engine;

    /// <summary>The position at which a <see cref="Walk"/> has ended.</summary>
    public static ulong EndOfWalk => WalkPlace.End;

    /// <summary>The table's name, unique within its cache.</summary>
    public string Name => Core.Name;

    /// <summary>
    /// The number of entries, including those that expired or whose tag was removed and that were not swept yet; until
    /// <see cref="CacheReadiness.IsReady"/>, the number found so far.
    /// </summary>
    public long Count => Statistics.EntryCount;

    /// <summary>
    /// Whether <see cref="PileCache.DropTable"/> has dropped the table, or is about to: its calls throw
    /// <see cref="TableDroppedException"/>. Who keeps a table gets the present one of that name from the cache then.
    /// </summary>
    public bool IsDropped => Core.IsDropped;

    /// <summary>The table's statistics.</summary>
    public TableStatistics Statistics => Core.Statistics;

    /// <summary>The table's options.</summary>
    public TableOptions Options => Core.Options;

    /// <summary>The type of the keys.</summary>
    public abstract Type KeyType { get; }

    /// <summary>The pile that holds the entries.</summary>
    public Pile Pile => Core.Pile;

    /// <summary>The buckets of the table's index, in which <see cref="Clear"/> counts its progress.</summary>
    public long BucketCount => Core.BucketCount;

    /// <summary>
    /// Whether reads see every entry; <see langword="false"/> while entries from before the opening are being found again: see
    /// <see cref="CacheReadiness"/>.
    /// </summary>
    public bool IsReady => Core.Visibility.IsAllVisible;

    /// <summary>
    /// Whether the values are this application's own, and no bytes to hand out to others: <c>BigPile.Http</c> does not serve them.
    /// </summary>
    /// <remarks>
    /// True as soon as the table is used with values of another type than byte arrays, or was found at the opening with a value that is not
    /// bytes; an application that puts bytes of its own format sets it. It is not stored.
    /// </remarks>
    public bool HasOpaqueValues
    {
        get => Core.HasOpaqueValues || (!_isInspected && Inspect());
        set => Core.SetOpaque(value);
    }

    internal TableEngine Core { get; }

    /// <summary>The time since an entry was put, by the cache's clock: steps of the system's clock do not count.</summary>
    /// <param name="info">The entry.</param>
    /// <param name="now">The present instant of the system's clock.</param>
    /// <returns>The age. Right after the process was killed it may be up to a second below zero.</returns>
    public TimeSpan GetAge(in EntryInfo info, out DateTimeOffset now)
    {
        long ticks = Core.Clock.Now;
        now = new DateTimeOffset(Core.Clock.ToSystem(ticks), TimeSpan.Zero);
        return new TimeSpan(ticks - Core.Clock.StepsSince(info.Version) - info.PutAt.UtcTicks);
    }

    /// <summary>
    /// Reads the next few entries in memory, for a walk through the table that keeps nothing but a position: pages of a listing, each of
    /// which a later call continues. Not a use of any entry.
    /// </summary>
    /// <remarks>
    /// An entry that exists during the whole walk is met once, however the index grows meanwhile. A position is valid until the cache is
    /// disposed; a made-up one costs no more than another. Entries come in no order of their <see cref="StoredEntry.Position"/>.
    /// </remarks>
    /// <param name="position">Where to continue; 0 at the beginning, and below <see cref="EndOfWalk"/>.</param>
    /// <param name="found">The entries are added to it, from none to a few.</param>
    /// <returns>The position behind them.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The position is not below <see cref="EndOfWalk"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public ulong Walk(ulong position, ICollection<StoredEntry> found)
    {
        ArgumentNullException.ThrowIfNull(found);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(position, EndOfWalk);
        List<EntryCopy> copies = _spareCopies ?? [];
        _spareCopies = null;
        ulong end = Core.Peek.CopyBucketAt(position, copies);
        foreach (EntryCopy copy in copies)
            found.Add(new StoredEntry(copy, Core.Clock));
        copies.Clear();
        _spareCopies = copies;
        return end;
    }

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

    /// <summary>The hash of a tag, as changes have it: <see cref="Change{TKey, TValue}.TagHashes"/>.</summary>
    /// <param name="tag">The tag; not empty.</param>
    public static ulong HashOfTag(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        return TagHash.Of(tag);
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
    /// The pile is full, and an entry may be there that the index does not know yet: the walk that rebuilds it fails, and nothing was
    /// removed; or it is being inspected, and what it knows was removed, which freed no space for the mark of the rest. Clear it again.
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
    public long Sweep(CancellationToken stop = default)
    {
        Core.EnterReader().Dispose(); // throws if the pile is closed, also where there is nothing to sweep
        return Core.Sweep.All(stop);
    }

    // Looks at one entry: a table holds either objects or bytes.
    private bool Inspect()
    {
        var found = new List<EntryCopy>();
        int buckets = Core.WasFound ? 0 : MaxInspectedBuckets;
        for (ulong place = 0; place < WalkPlace.End && found.Count == 0 && buckets < MaxInspectedBuckets; buckets++)
            place = Core.Peek.CopyBucketAt(place, found, onlyVisible: false);
        if (found.Exists(static entry => entry.Kind != ValueKind.Bytes))
            Core.SetOpaque(true);
        _isInspected = true;
        return Core.HasOpaqueValues;
    }
}
