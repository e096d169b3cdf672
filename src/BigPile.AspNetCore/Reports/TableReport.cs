using BigPile.Caching;

namespace BigPile.AspNetCore.Reports;

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
    internal static TableReport Of(PileCache cache, string name)
    {
        TableStatistics statistics = cache.GetStatistics(name);
        return new TableReport(
            name, statistics.EntryCount, statistics.EntryBytes, statistics.IndexBytes,
            statistics.Hits, statistics.Misses, statistics.Puts, statistics.Removals);
    }
}
