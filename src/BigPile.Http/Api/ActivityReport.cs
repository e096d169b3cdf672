using System;
using System.Collections.Generic;
using System.Text.Json.Serialization;
using BigPile.Caching;
using BigPile.Http.Metrics;

namespace BigPile.Http.Api;

/// <summary>The activity between the last two samples, which are at least a second apart.</summary>
/// <param name="Seconds">The time between them.</param>
/// <param name="Tables">The rates by table; reported with the tables.</param>
/// <param name="Reads">The latency of entry reads; omitted without any.</param>
/// <param name="Writes">The latency of entry changes; omitted without any.</param>
internal sealed record ActivityReport(
    double Seconds, [property: JsonIgnore] IReadOnlyDictionary<string, RateReport> Tables, LatencyReport? Reads, LatencyReport? Writes);

/// <summary>Rates per second.</summary>
/// <param name="Hits">Reads that found their key.</param>
/// <param name="Misses">Reads that did not.</param>
/// <param name="Puts">Values put.</param>
/// <param name="Removals">Entries removed.</param>
/// <param name="Evictions">Entries evicted for others.</param>
/// <param name="Expirations">Entries expired.</param>
internal sealed record RateReport(double Hits, double Misses, double Puts, double Removals, double Evictions, double Expirations)
{
    internal static RateReport Of(TableStatistics before, TableStatistics now, TimeSpan passed) => new(
        Rate(before.Hits, now.Hits, passed), Rate(before.Misses, now.Misses, passed), Rate(before.Puts, now.Puts, passed),
        Rate(before.Removals, now.Removals, passed), Rate(before.Evictions, now.Evictions, passed),
        Rate(before.Expirations, now.Expirations, passed));

    // The counters of a table that was dropped and created again restart at zero.
    private static double Rate(long before, long now, TimeSpan passed) => Math.Round(Math.Max(0, now - before) / passed.TotalSeconds, 1);
}
