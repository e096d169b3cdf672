using System;

namespace BigPile.Caching;

/// <summary>The statistics of a table.</summary>
/// <remarks>Until <see cref="CacheReadiness.IsReady"/>, counts cover the entries found so far.</remarks>
/// <param name="EntryCount">Entries.</param>
/// <param name="EntryBytes">Bytes of the entries' payloads: heads, keys and values.</param>
/// <param name="IndexBytes">Bytes of the index, in process memory.</param>
/// <param name="Hits">Reads that found their key.</param>
/// <param name="Misses">Reads that did not.</param>
/// <param name="Puts">Values put.</param>
/// <param name="Removals">Entries removed by their key, their tag, or all together.</param>
public sealed record TableStatistics(
    long EntryCount, long EntryBytes, long IndexBytes, long Hits, long Misses, long Puts, long Removals)
{
    /// <summary>
    /// Bytes of the entries' blocks in the pile: payloads, headers and slack. Objects that pointers lead to are not included.
    /// </summary>
    public long BlockBytes { get; init; }

    /// <summary>Bytes of the evictor in process memory: queues, ghosts and sketches; 0 without a limit.</summary>
    public long EvictionBytes { get; init; }

    /// <summary>Bytes of the window of changes; see <see cref="TableOptions.FeedBytes"/>.</summary>
    public long FeedBytes { get; init; }

    /// <summary>The total that a limit in bytes applies to: blocks, index, window of changes and evictor.</summary>
    public long TotalBytes => BlockBytes + IndexBytes + FeedBytes + EvictionBytes;

    /// <summary>Readers that follow the table's changes.</summary>
    public int FeedReaders { get; init; }

    /// <summary>How far the slowest of them is behind the last change.</summary>
    public TimeSpan FeedLag { get; init; }

    /// <summary>
    /// How long the window holds a change at the rate of the changes that it holds; <see langword="null"/>: it holds none. A reader that is
    /// away for longer has to walk.
    /// </summary>
    public TimeSpan? FeedWindow { get; init; }

    /// <summary>Puts of keys that were new.</summary>
    public long Inserts { get; init; }

    /// <summary>Puts that were refused because all present entries are worth more.</summary>
    public long Collisions { get; init; }

    /// <summary>Entries evicted for others.</summary>
    public long Evictions { get; init; }

    /// <summary>Entries expired.</summary>
    public long Expirations { get; init; }

    /// <summary>Stale values given where a factory failed or took too long; see <see cref="EntryOptions.FailSafeMaxAge"/>.</summary>
    public long StaleReads { get; init; }

    /// <summary>Reads of calls with a factory that found an entry which could not be read; it counted as missing.</summary>
    public long UnreadableEntries { get; init; }

    /// <summary>Entries in the spill file, from where they come back; see <see cref="PileCacheOptions.SpillDirectory"/>.</summary>
    public long SpilledEntries { get; init; }

    /// <summary>Bytes of that file.</summary>
    public long SpilledBytes { get; init; }

    /// <summary>Entries that came back from it.</summary>
    public long SpillReturns { get; init; }

    /// <summary>
    /// Evicted entries that could not be kept: the disk was full or did not keep up, the file failed or was damaged with them in it, or
    /// they were too large.
    /// </summary>
    public long SpillLosses { get; init; }
}
