using System.Collections.Generic;
using System.Linq;
using BigPile.Caching;
using BigPile.Http.Security;

namespace BigPile.Http.Api;

/// <summary>The tables of a pile, or those that a key may access.</summary>
/// <param name="Tables">The tables in ordinal order of their names.</param>
internal sealed record TableList(IReadOnlyList<TableReport> Tables)
{
    /// <summary>Lists tables.</summary>
    /// <param name="cache">The tables' cache.</param>
    /// <param name="meter">Measures their rates.</param>
    /// <param name="key">The key; <see langword="null"/>: all tables.</param>
    internal static TableList Of(PileCache cache, ActivityMeter meter, HeldKey? key)
    {
        SortedDictionary<string, TableStatistics> tables = StatsReport.StatisticsOf(cache);
        return new TableList([.. Describe(tables.Where(table => key?.Reaches(table.Key) != false), meter.Sample(tables))]);
    }

    /// <summary>Describes tables, with their rates between two samples.</summary>
    internal static IEnumerable<TableReport> Describe(
        IEnumerable<KeyValuePair<string, TableStatistics>> tables, ActivityReport? activity) =>
        tables.Select(table => TableReport.Of(table.Key, table.Value, activity?.Tables.GetValueOrDefault(table.Key)));
}
