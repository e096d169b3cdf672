using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>What a table holds, and what it did since the pile was opened.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Entries">The number of its entries.</param>
/// <param name="Bytes">The bytes of their keys and values, with 17 or more a piece that describe them.</param>
/// <param name="IndexBytes">The bytes of its index, in process memory.</param>
/// <param name="Hits">Reads that found their key.</param>
/// <param name="Misses">Reads that did not.</param>
/// <param name="Puts">Values put.</param>
/// <param name="Removals">Entries removed.</param>
internal sealed record TableReport(
    string Name, long Entries, long Bytes, long IndexBytes, long Hits, long Misses, long Puts, long Removals)
{
    /// <summary>Bytes that the entries take in the pile: payloads, headers and slack.</summary>
    public long BlockBytes { get; init; }

    /// <summary>Bytes of the queues by which entries are evicted, in process memory.</summary>
    public long EvictionBytes { get; init; }

    /// <summary>Blocks, index and queues: what a limit in bytes is compared with.</summary>
    public long TotalBytes { get; init; }

    /// <summary>Puts of keys that were new.</summary>
    public long Inserts { get; init; }

    /// <summary>Puts that were refused because everything there is worth more.</summary>
    public long Collisions { get; init; }

    /// <summary>Entries that had to make room for others.</summary>
    public long Evictions { get; init; }

    /// <summary>Entries whose time was over.</summary>
    public long Expirations { get; init; }

    /// <summary>Entries that left memory and are in a file; left out when there are none, as all that has to do with it.</summary>
    public long? SpilledEntries { get; init; }

    /// <summary>Bytes of that file.</summary>
    public long? SpilledBytes { get; init; }

    /// <summary>Entries that came back from it.</summary>
    public long? SpillReturns { get; init; }

    /// <summary>Entries that could not be kept there.</summary>
    public long? SpillLosses { get; init; }

    /// <summary>The share of reads that found their key, from 0 to 1; left out when there were no reads.</summary>
    public double? HitRatio { get; init; }

    /// <summary>What it did a second since the look before; only where several tables are looked at.</summary>
    public RateReport? PerSecond { get; init; }

    internal static TableReport Of(PileCache cache, string name) => Of(name, cache.GetStatistics(name), null);

    internal static TableReport Of(string name, TableStatistics statistics, RateReport? perSecond) => new(
        name, statistics.EntryCount, statistics.EntryBytes, statistics.IndexBytes,
        statistics.Hits, statistics.Misses, statistics.Puts, statistics.Removals)
    {
        BlockBytes = statistics.BlockBytes,
        EvictionBytes = statistics.EvictionBytes,
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
