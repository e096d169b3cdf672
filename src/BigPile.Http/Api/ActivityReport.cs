using System;
using System.Collections.Generic;
using System.Text.Json.Serialization;
using BigPile.Caching;
using BigPile.Http.Metrics;

namespace BigPile.Http.Api;

/// <summary>What happened between the last two looks that were a second or more apart.</summary>
/// <param name="Seconds">The time between them.</param>
/// <param name="Tables">What was done a second by table; they are stated with the tables.</param>
/// <param name="Reads">How long reads of entries took; left out when there were none.</param>
/// <param name="Writes">How long changes of entries took; left out when there were none.</param>
internal sealed record ActivityReport(
    double Seconds, [property: JsonIgnore] IReadOnlyDictionary<string, RateReport> Tables, LatencyReport? Reads, LatencyReport? Writes);

/// <summary>How often things happened a second.</summary>
/// <param name="Hits">Reads that found their key.</param>
/// <param name="Misses">Reads that did not.</param>
/// <param name="Puts">Values put.</param>
/// <param name="Removals">Entries removed.</param>
/// <param name="Evictions">Entries that had to make room for others.</param>
/// <param name="Expirations">Entries whose time was over.</param>
internal sealed record RateReport(double Hits, double Misses, double Puts, double Removals, double Evictions, double Expirations)
{
    internal static RateReport Of(TableStatistics before, TableStatistics now, TimeSpan passed) => new(
        Rate(before.Hits, now.Hits, passed), Rate(before.Misses, now.Misses, passed), Rate(before.Puts, now.Puts, passed),
        Rate(before.Removals, now.Removals, passed), Rate(before.Evictions, now.Evictions, passed),
        Rate(before.Expirations, now.Expirations, passed));

    // A table that was dropped and made again counts from the start.
    private static double Rate(long before, long now, TimeSpan passed) => Math.Round(Math.Max(0, now - before) / passed.TotalSeconds, 1);
}
