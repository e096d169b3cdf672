using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Perf.Scales;

/// <summary>Fills a pile to a size, and measures as many operations at any: whether cost grows with the data.</summary>
internal static class ScaleLoad
{
    private const int BatchOperations = 4096;
    private const int TimedShare = 4; // of four operations one is timed by itself, in a phase of its own
    private const int Runs = 5; // of each phase, of which the fastest counts

    private static readonly int RehearsalOperations = Brevity.Of(usual: 200_000, brief: 2000);
    private static readonly int RehearsalRounds = Brevity.Of(usual: 5, brief: 1);

    /// <summary>Runs the load from nothing to nothing.</summary>
    internal static ScaleReport Run(ScaleOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, options.Directory);
        RequireSpace(options, directory);
        using var pile = new Pile(
            new PileOptions { Store = options.Store, Directory = directory?.PilePath, MaxBytes = MachineLimits.Checked });
        var phases = new ScalePhases(pile, options.Count, options.Threads);
        using (var team = new WorkerTeam(Worker.Divide(options.Count, options.Threads), BatchOperations, progress, stop))
            team.Run("fill", phases.Fill);
        Rehearse(options, phases, stop);
        using var operations = new WorkerTeam(Worker.Divide(options.Operations, options.Threads), BatchOperations, progress, stop);
        int timed = Math.Max(1, options.Operations / TimedShare);
        using var singles = new WorkerTeam(Worker.Divide(timed, options.Threads), BatchOperations, progress, stop);
        return new ScaleReport
        {
            Store = options.Store.ToString().ToLowerInvariant(),
            Count = options.Count,
            Threads = options.Threads,
            CommittedBytes = pile.Statistics.CommittedBytes,
            GetPerSecond = Figure.PerSecond(options.Operations, Fastest(operations, "get at random", phases.Get)),
            PutPerSecond = Figure.PerSecond(options.Operations, Fastest(operations, "put", phases.Put)),
            GetUs = Time(singles, "time single gets", phases.GetTimed, () => LatencyReport.Of(phases.Gets)),
            PutUs = Time(singles, "time single puts", phases.PutTimed, () => LatencyReport.Of(phases.Puts)),
            ClockUs = ScaleClock.OwnNanoseconds() / 1000.0,
        };
    }

    private static void RequireSpace(ScaleOptions options, WorkDirectory? directory)
    {
        string load = $"--mebibytes {options.Mebibytes}";
        long pointerBytes = options.Count * (long)sizeof(ulong);
        if (directory == null)
            MachineLimits.Require(
                load, options.PileBytes + pointerBytes, MachineLimits.FreeMemoryBytes(), "memory", "Lower it, or use --store mapped.");
        else
            MachineLimits.Require(
                load, options.PileBytes, MachineLimits.FreeDiskBytes(directory.Path), $"space in '{directory.Path}'", "Lower it.");
    }

    // What else the machine does takes time and never gives any.
    private static double Fastest(WorkerTeam team, string phase, WorkerTeam.Batch batch)
    {
        double seconds = double.MaxValue;
        for (int i = 0; i < Runs; i++)
            seconds = Math.Min(seconds, team.Run(phase, batch));
        return seconds;
    }

    private static LatencyReport Time(WorkerTeam team, string phase, WorkerTeam.Batch batch, Func<LatencyReport> times)
    {
        team.Run(phase, batch);
        return times();
    }

    // The runtime compiles a method well only once it was called often; and the first round touches what the measured one needs.
    private static void Rehearse(ScaleOptions options, ScalePhases phases, CancellationToken stop)
    {
        using var team = new WorkerTeam(Worker.Divide(RehearsalOperations, options.Threads), BatchOperations, new NoProgress(), stop);
        for (int i = 0; i < RehearsalRounds; i++)
        {
            team.Run("get", phases.Get);
            team.Run("put", phases.Put);
            team.Run("get timed", phases.GetTimed);
            team.Run("put timed", phases.PutTimed);
        }
        phases.ClearTimes();
    }
}

/// <summary>Times to the nanosecond, where the system's clock has them; a <see cref="TimeSpan"/> has steps of a hundred.</summary>
internal static class ScaleClock
{
    private const int Readings = 1001;
    private const long NanosecondsPerSecond = 1_000_000_000;

    internal static long Nanoseconds(long ticks) =>
        Stopwatch.Frequency == NanosecondsPerSecond ? ticks : (long)(ticks * ((double)NanosecondsPerSecond / Stopwatch.Frequency));

    /// <summary>What reading the clock takes: the median of many.</summary>
    internal static long OwnNanoseconds()
    {
        var readings = new long[Readings];
        for (int i = 0; i < readings.Length; i++)
        {
            long start = Stopwatch.GetTimestamp();
            readings[i] = Nanoseconds(Stopwatch.GetTimestamp() - start);
        }
        Array.Sort(readings);
        return readings[readings.Length / 2];
    }
}
