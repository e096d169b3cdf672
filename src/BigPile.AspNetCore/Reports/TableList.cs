using System.Collections.Generic;
using System.Linq;
using BigPile.Caching;

namespace BigPile.AspNetCore.Reports;

/// <summary>The tables of a pile.</summary>
/// <param name="Tables">The tables in ordinal order of their names.</param>
internal sealed record TableList(IReadOnlyList<TableSummary> Tables)
{
    internal static TableList Of(PileCache cache) =>
        new([.. StatsReport.StatisticsOf(cache).Select(static table => new TableSummary(table.Key, table.Value))]);
}

/// <summary>A table in short.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Entries">The number of its entries.</param>
/// <param name="Bytes">The bytes of their keys and values, with 17 or more a piece that describe them.</param>
internal sealed record TableSummary(string Name, long Entries, long Bytes)
{
    internal TableSummary(string name, TableStatistics statistics) : this(name, statistics.EntryCount, statistics.EntryBytes)
    {
    }
}
