using System;
using System.Collections.Generic;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Soaking;

/// <summary>What is reported of a soak that ended.</summary>
internal static class SoakReports
{
    internal static SoakReport Of(
        SoakPlace place, SoakSample mark, SoakSample end, IReadOnlyDictionary<string, long> operations, double longestPauseMs) => new()
        {
            Store = place.Options.Store.ToString().ToLowerInvariant(),
            Megabytes = place.Options.Megabytes,
            Threads = place.Options.Threads,
            Seed = place.Options.Seed,
            Seconds = Math.Round(end.Seconds, 1),
            Operations = end.Operations,
            PerSecond = Math.Round(end.Operations / Math.Max(end.Seconds, 1e-9)),
            OperationsByKind = operations,
            Errors = place.Errors.Count,
            ErrorExamples = place.Errors.Examples,
            LongestPauseMs = Math.Round(longestPauseMs, 1),
            Mark = MemoryOf(mark),
            End = MemoryOf(end),
            LiveGrowthPercent = Growth(mark.LiveBytes, end.LiveBytes),
            ProcessGrowthPercent = Growth(mark.Memory.ResidentBytes, end.Memory.ResidentBytes),
            PrivateGrowthPercent = mark.Memory.PrivateBytes is { } from && end.Memory.PrivateBytes is { } to ? Growth(from, to) : null,
        };

    private static SoakMemory MemoryOf(SoakSample sample) => new(
        Math.Round(sample.Seconds, 1), sample.Pile.ObjectsSoFar, sample.LiveBytes, sample.Pile.ReservedBytes, sample.Memory.ResidentBytes,
        sample.Memory.PrivateBytes, sample.ManagedBytes, Ratio(sample.Memory.ResidentBytes, sample.LiveBytes),
        sample.Memory.PrivateBytes is { } bytes ? Ratio(bytes, sample.LiveBytes) : null);

    private static double Growth(long from, long to) => Math.Round(100.0 * (to - from) / Math.Max(1, from), 1);

    private static double Ratio(long bytes, long liveBytes) => Math.Round((double)bytes / Math.Max(1, liveBytes), 3);
}
