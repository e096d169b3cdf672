using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tables;

/// <summary>Replays traces through a table with a limit, and simulates policies beside it.</summary>
internal static class TraceRunner
{
    private static readonly int WarmingAccesses = Brevity.Of(usual: 1 << 20, brief: 1 << 12);
    private static readonly int WarmingRounds = Brevity.Of(usual: 4, brief: 1);

    /// <summary>Runs the load.</summary>
    internal static TraceReport Run(TraceOptions options, ILoadProgress progress, CancellationToken stop)
    {
        IReadOnlyList<string> names = options.Files;
        var rows = new List<TraceRow>();
        for (int i = 0; i < names.Count; i++)
        {
            var named = new NamedProgress($"{i + 1} of {names.Count}, {names[i]}", progress);
            Trace trace = TraceSource.Read(names[i], options.Format, options.Seed, named, stop);
            rows.AddRange(RowsOf(names[i], trace, options, named, stop));
        }
        return new TraceReport(rows, options.Threads);
    }

    private static IEnumerable<TraceRow> RowsOf(
        string name, Trace trace, TraceOptions options, ILoadProgress progress, CancellationToken stop)
    {
        Warm(trace, options, stop);
        var measuring = new PolicyTable(options.Policies, options.Threads, progress, stop);
        if (options.HasSizes)
            return SizedRowsOf(name, MadeSizes.Give(trace, options.Seed), options, measuring);
        if (options.Capacity is { } capacity)
            return [TraceRow.Of(name, trace, fraction: null, hasSizes: false, measuring.Measure(trace, capacity))];
        return options.Fractions.Select(fraction => TraceRow.Of(
            name, trace, fraction, hasSizes: false, measuring.Measure(trace, PolicyTable.CapacityOf(trace, fraction))));
    }

    // Warm-up: compilation and optimization must be over before time is taken.
    private static void Warm(Trace trace, TraceOptions options, CancellationToken stop)
    {
        Trace start = trace with { Accesses = trace.Accesses[..Math.Min(trace.Accesses.Length, WarmingAccesses)] };
        long capacity = options.Capacity ?? PolicyTable.CapacityOf(trace, options.Fractions[0]);
        for (int round = 0; round < WarmingRounds; round++)
            _ = TableReplay.Run(start, capacity, options.Threads, new NoProgress(), stop);
    }

    private static IEnumerable<TraceRow> SizedRowsOf(string name, Trace trace, TraceOptions options, PolicyTable measuring)
    {
        long[] weights = SizedReplay.WeighKeys(trace);
        foreach (double fraction in options.Fractions)
        {
            long limitBytes = Math.Max(SizedReplay.MinLimitBytes, (long)(weights.Sum() * fraction));
            yield return TraceRow.Of(name, trace, fraction, hasSizes: true, measuring.MeasureWeighing(trace, weights, limitBytes));
        }
    }
}
