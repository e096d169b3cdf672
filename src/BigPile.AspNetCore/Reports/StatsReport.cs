using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching;

namespace BigPile.AspNetCore.Reports;

/// <summary>A snapshot of everything: pile, tables, process.</summary>
/// <param name="Pile">The pile.</param>
/// <param name="Tables">The tables in ordinal order of their names.</param>
/// <param name="Process">The process.</param>
internal sealed record StatsReport(PileReport Pile, IReadOnlyList<TableReport> Tables, ProcessReport Process)
{
    internal static StatsReport Of(PileCache cache, TimeProvider time) =>
        new(PileReport.Of(cache.Pile), [.. cache.TableNames.Select(name => TableReport.Of(cache, name))], ProcessReport.Now(time));
}

/// <summary>A pile.</summary>
/// <param name="Store">Where its segments are: managed, native or mapped.</param>
/// <param name="Directory">Its directory, if it is mapped.</param>
/// <param name="Objects">Live objects.</param>
/// <param name="Links">Objects of those that outgrew their block.</param>
/// <param name="Segments">Segments.</param>
/// <param name="MemoryBytes">Where its memory goes.</param>
internal sealed record PileReport(
    string Store, string? Directory, long Objects, long Links, int Segments, MemoryReport MemoryBytes)
{
    internal static PileReport Of(Pile pile)
    {
        PileStatistics statistics = pile.Statistics;
        return new PileReport(
            pile.Store.ToString().ToLowerInvariant(), pile.DirectoryPath, statistics.ObjectCount, statistics.LinkCount,
            statistics.SegmentCount, MemoryReport.Of(statistics));
    }
}
