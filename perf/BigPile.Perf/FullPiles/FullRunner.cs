using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Perf.FullPiles;

/// <summary>
/// Puts four times as much as fits into a pile with a limit, by one kind of table or cache after the other; and the same, operation by
/// operation, where the table has the limit, and not the pile.
/// </summary>
internal static class FullRunner
{
    private const int Surplus = 4; // the keys for each that fits
    private const long RehearsalBytes = 16L << 20;

    private static readonly TimeSpan RehearsalTime = Brevity.Of(usual: TimeSpan.FromSeconds(3), brief: TimeSpan.FromSeconds(0.01));

    /// <summary>Runs the load.</summary>
    internal static IReadOnlyList<FullRow> Run(FullOptions options, ILoadProgress progress, CancellationToken stop)
    {
        RequireMemory(options);
        return [.. options.Kinds.Select(kind => Run(kind, options, new NamedProgress(LoadOption.NameOf(kind), progress), stop))];
    }

    /// <summary>Refuses a pile that does not fit in the machine.</summary>
    internal static void RequireMemory(FullOptions options)
    {
        if (options.Store == StoreKind.Mapped)
            return;
        MachineLimits.Require(
            $"--pile {options.PileBytes}", options.PileBytes / 4 * 5, MachineLimits.FreeMemoryBytes(), "memory",
            "Lower it, or use --store mapped.");
    }

    private static FullRow Run(FullKind kind, FullOptions options, ILoadProgress progress, CancellationToken stop)
    {
        FullOptions small = options with { PileBytes = Math.Min(options.PileBytes, RehearsalBytes) };
        using (var rehearsal = new FullLoad(kind, small, tableBytes: null, KeysOf(small)))
            rehearsal.Run(RehearsalTime, progress, stop);
        GC.Collect();
        int keys = KeysOf(options);
        var memory = new MemoryWatch(progress);
        var load = new FullLoad(kind, options, tableBytes: null, keys);
        double seconds;
        TableStatistics end;
        using (load)
        {
            seconds = load.Run(TimeSpan.FromSeconds(options.Seconds), memory, stop);
            end = load.Statistics;
            memory.Sample();
        }
        FullRow row = FullRow.Of(kind, options, keys, load, seconds, end, memory);
        if (FullTarget.MayRefuse(kind))
            return row;
        FullOptions unlimited = options with { PileBytes = long.MaxValue };
        using var limited = new FullLoad(kind, unlimited, Math.Max(end.TotalBytes, PileOptions.MinLimitBytes), keys);
        return row.With(limited, limited.Repeat(load, new NamedProgress("limited", progress), stop));
    }

    private static int KeysOf(FullOptions options) => (int)(Surplus * options.PileBytes / FullValues.MeanEntryBytes);
}

/// <summary>The memory of the process from now on.</summary>
internal sealed class MemoryWatch(ILoadProgress progress) : ILoadProgress
{
    internal long BaselineBytes { get; } = Environment.WorkingSet;
    internal long LastBytes { get; private set; }
    internal long MostBytes { get; private set; }

    public void Begin(string phase, long total) => progress.Begin(phase, total);

    public void Report(long done)
    {
        Sample();
        progress.Report(done);
    }

    internal void Sample()
    {
        LastBytes = Environment.WorkingSet;
        MostBytes = Math.Max(MostBytes, LastBytes);
    }
}
