using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>A table's contents, and its counters since the pile was opened.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Entries">The number of its entries.</param>
/// <param name="Bytes">Bytes of their keys and values, and of their metadata, 17 bytes or more each.</param>
/// <param name="IndexBytes">Bytes of its index, in process memory.</param>
/// <param name="Hits">Reads that found their key.</param>
/// <param name="Misses">Reads that did not.</param>
/// <param name="Puts">Values put.</param>
/// <param name="Removals">Entries removed.</param>
internal sealed record TableReport(
    string Name, long Entries, long Bytes, long IndexBytes, long Hits, long Misses, long Puts, long Removals)
{
    /// <summary>The entries' footprint in the pile: payloads, headers and slack, in bytes.</summary>
    public long BlockBytes { get; init; }

    /// <summary>Bytes of the eviction queues, in process memory.</summary>
    public long EvictionBytes { get; init; }

    /// <summary>Bytes of the window of changes; omitted without one, as all members on it.</summary>
    public long? FeedBytes { get; init; }

    /// <summary>Readers that follow the changes.</summary>
    public int? FeedReaders { get; init; }

    /// <summary>How far the slowest of them is behind, in seconds.</summary>
    public double? FeedLagSeconds { get; init; }

    /// <summary>How long the window holds a change at the present rate, in seconds; omitted while it holds none.</summary>
    public double? FeedWindowSeconds { get; init; }

    /// <summary>Blocks, index, window of changes and queues, in bytes; a limit in bytes applies to this sum.</summary>
    public long TotalBytes { get; init; }

    /// <summary>Puts of new keys.</summary>
    public long Inserts { get; init; }

    /// <summary>Puts that the eviction policy refused.</summary>
    public long Collisions { get; init; }

    /// <summary>Entries evicted for others.</summary>
    public long Evictions { get; init; }

    /// <summary>Entries expired.</summary>
    public long Expirations { get; init; }

    /// <summary>Entries on the disk tier; omitted without any, as all members on it.</summary>
    public long? SpilledEntries { get; init; }

    /// <summary>Bytes of the disk tier's file.</summary>
    public long? SpilledBytes { get; init; }

    /// <summary>Entries promoted from the disk tier.</summary>
    public long? SpillReturns { get; init; }

    /// <summary>Entries lost because the disk tier could not store them.</summary>
    public long? SpillLosses { get; init; }

    /// <summary>Hits by reads, from 0 to 1; omitted without reads.</summary>
    public double? HitRatio { get; init; }

    /// <summary>The rates since the previous sample; only in lists of tables.</summary>
    public RateReport? PerSecond { get; init; }

    internal static TableReport Of(PileCache cache, string name) => Of(name, cache.GetStatistics(name), null);

    internal static TableReport Of(string name, TableStatistics statistics, RateReport? perSecond) => new(
        name, statistics.EntryCount, statistics.EntryBytes, statistics.IndexBytes,
        statistics.Hits, statistics.Misses, statistics.Puts, statistics.Removals)
    {
        BlockBytes = statistics.BlockBytes,
        EvictionBytes = statistics.EvictionBytes,
        FeedBytes = AboveZero(statistics.FeedBytes),
        FeedReaders = statistics.FeedBytes == 0 ? null : statistics.FeedReaders,
        FeedLagSeconds = statistics.FeedBytes == 0 ? null : statistics.FeedLag.TotalSeconds,
        FeedWindowSeconds = statistics.FeedWindow is { } window ? System.Math.Round(window.TotalSeconds, 3) : null,
        TotalBytes = statistics.TotalBytes,
        Inserts = statistics.Inserts,
        Collisions = statistics.Collisions,
        Evictions = statistics.Evictions,
        Expirations = statistics.Expirations,
        SpilledEntries = AboveZero(statistics.SpilledEntries),
        SpilledBytes = AboveZero(statistics.SpilledBytes),
        SpillReturns = AboveZero(statistics.SpillReturns),
        SpillLosses = AboveZero(statistics.SpillLosses),
        HitRatio = RatioOf(statistics.Hits, statistics.Hits + statistics.Misses),
        PerSecond = perSecond,
    };

    private static long? AboveZero(long number) => number == 0 ? null : number;

    private static double? RatioOf(long hits, long reads) => reads == 0 ? null : System.Math.Round(hits / (double)reads, 4);
}
