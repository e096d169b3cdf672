using System;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>A snapshot of pile, tables, process and service.</summary>
/// <param name="Pile">The pile.</param>
/// <param name="Recovery">The recovery of a pile that was found on disk.</param>
/// <param name="Activity">The activity since the previous sample; omitted at the first.</param>
/// <param name="Tables">The tables in ordinal order of their names.</param>
/// <param name="Process">The process.</param>
/// <param name="Service">The connections and the responses; omitted if not counted.</param>
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

    /// <summary>The statistics of each table, by name.</summary>
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

/// <summary>The state of a pile.</summary>
/// <param name="Store">Where its segments are: managed, native or mapped.</param>
/// <param name="Directory">Its directory, if it is mapped.</param>
/// <param name="Objects">Live objects; omitted until all pages are recovered.</param>
/// <param name="ObjectsSoFar">Live objects in recovered pages.</param>
/// <param name="Links">Objects that outgrew their block; omitted until all pages are recovered.</param>
/// <param name="Segments">The number of segments.</param>
/// <param name="MemoryBytes">The use of its memory.</param>
/// <param name="BackgroundFailures">The number of failures of background work.</param>
/// <param name="LastBackgroundFailure">The last of them and its cause; omitted without any.</param>
/// <param name="FlushTrouble">The trouble of the last flush, and the remedy; omitted without any.</param>
/// <param name="RefusedPuts">The number of puts that were refused as the pile was full.</param>
/// <param name="LastRefusal">Why the last of them was, and the remedy; omitted without any.</param>
/// <param name="LastRefusedAt">When that was.</param>
internal sealed record PileReport(
    string Store, string? Directory, long? Objects, long ObjectsSoFar, long? Links, int Segments, MemoryReport MemoryBytes,
    long BackgroundFailures, string? LastBackgroundFailure, string? FlushTrouble, long RefusedPuts, string? LastRefusal,
    DateTimeOffset? LastRefusedAt)
{
    internal static PileReport Of(Pile pile)
    {
        PileStatistics statistics = pile.Statistics;
        PileHealth health = PileHealth.Of(pile);
        return new PileReport(
            pile.Store.ToString().ToLowerInvariant(), pile.DirectoryPath, statistics.ObjectCount, statistics.ObjectsSoFar,
            statistics.LinkCount, statistics.SegmentCount, MemoryReport.Of(statistics), statistics.BackgroundFailureCount,
            statistics.LastBackgroundFailure, health.FlushTroubleDetails, health.RefusedPutCount, health.LastRefusal,
            health.LastRefusedAt);
    }
}
