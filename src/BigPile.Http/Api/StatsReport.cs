using System;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>A snapshot of everything: pile, tables, process.</summary>
/// <param name="Pile">The pile.</param>
/// <param name="Recovery">What becomes of a pile that was found on disk.</param>
/// <param name="Activity">What happened since the look before; left out at the first look.</param>
/// <param name="Tables">The tables in ordinal order of their names.</param>
/// <param name="Process">The process.</param>
/// <param name="Service">The connections and the answers; left out where nobody serves.</param>
internal sealed record StatsReport(
    PileReport Pile, RecoveryReport Recovery, ActivityReport? Activity, IReadOnlyList<TableReport> Tables, ProcessReport Process,
    ServiceReport? Service = null)
{
    internal static StatsReport Of(PileCache cache, ActivityMeter meter, TimeProvider time, ServiceMeter? service = null)
    {
        SortedDictionary<string, TableStatistics> tables = StatisticsOf(cache);
        ActivityReport? activity = meter.Sample(tables);
        return new StatsReport(
            PileReport.Of(cache.Pile), RecoveryReport.Of(cache), activity,
            [.. TableList.Describe(tables, activity)], ProcessReport.Now(time), service?.Sample());
    }

    /// <summary>What each table holds, by name.</summary>
    internal static SortedDictionary<string, TableStatistics> StatisticsOf(PileCache cache)
    {
        var found = new SortedDictionary<string, TableStatistics>(StringComparer.Ordinal);
        foreach (string name in cache.TableNames)
        {
            try
            {
                found.Add(name, cache.GetStatistics(name));
            }
            catch (KeyNotFoundException)
            {
                // dropped meanwhile
            }
        }
        return found;
    }
}

/// <summary>A pile.</summary>
/// <param name="Store">Where its segments are: managed, native or mapped.</param>
/// <param name="Directory">Its directory, if it is mapped.</param>
/// <param name="Objects">Live objects; left out until all pages are examined.</param>
/// <param name="ObjectsSoFar">Live objects in pages that were examined.</param>
/// <param name="Links">Objects that outgrew their block; left out until all pages are examined.</param>
/// <param name="Segments">Segments.</param>
/// <param name="MemoryBytes">Where its memory goes.</param>
/// <param name="BackgroundFailures">How often work in the background has failed.</param>
/// <param name="LastBackgroundFailure">What of it failed last and why; left out when nothing did.</param>
/// <param name="FlushTrouble">What was wrong with the last flush, and the remedy; left out when nothing was.</param>
internal sealed record PileReport(
    string Store, string? Directory, long? Objects, long ObjectsSoFar, long? Links, int Segments, MemoryReport MemoryBytes,
    long BackgroundFailures, string? LastBackgroundFailure, string? FlushTrouble)
{
    internal static PileReport Of(Pile pile)
    {
        PileStatistics statistics = pile.Statistics;
        return new PileReport(
            pile.Store.ToString().ToLowerInvariant(), pile.DirectoryPath, statistics.ObjectCount, statistics.ObjectsSoFar,
            statistics.LinkCount, statistics.SegmentCount, MemoryReport.Of(statistics), statistics.BackgroundFailureCount,
            statistics.LastBackgroundFailure, pile.Engine.FlushTrouble?.Details);
    }
}
