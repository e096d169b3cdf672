using System;
using System.Globalization;
using System.Linq;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Perf.Tables;

/// <summary>Runs a table load from nothing to nothing.</summary>
internal static class CacheRunner
{
    private const int RehearsalEntries = 4096;

    private static readonly int RehearsedTables = Brevity.Of(usual: 6, brief: 1);
    private static readonly int RehearsalRounds = Brevity.Of(usual: 10, brief: 1); // of each; frequently called methods are optimized

    /// <summary>Runs the load.</summary>
    internal static CacheReport Run(CacheOptions options, ILoadProgress progress, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        RequireMemory(options);
        Rehearse(options, stop);
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null);
        var pileOptions = new PileOptions { Store = options.Store, Directory = directory?.PilePath, MaxBytes = MachineLimits.Checked };
        var layout = new LoadLayout(options.ValueBytes, options.Threads);
        using var phases = new TablePhases(pileOptions, options, layout);
        Worker[] workers = Worker.Divide(options.Count, options.Threads);
        using var team = new WorkerTeam(workers, layout.BatchObjects, progress, stop);
        return Measure(options, phases, team, workers.Sum(layout.CountAnchors));
    }

    private static CacheReport Measure(CacheOptions options, TablePhases phases, WorkerTeam team, int anchors)
    {
        double growSeconds = team.Run("grow", phases.PutTimed);
        TableStatistics full = phases.Table.Statistics;
        double bytesPerEntry =
            (phases.Pile.Statistics.CommittedBytes + full.IndexBytes + full.EvictionBytes) / (double)Math.Max(1, full.EntryCount);
        double fullCollectionMs = FullCollection.MeasureLongestMs();
        CheckMissing(options, options.Count - full.EntryCount);
        team.Run("warm up: get in order", phases.Get);
        team.Run("warm up: remove", phases.RemoveAroundAnchors);

        double putSeconds = team.Run("put", phases.PutAroundAnchors);
        phases.TakeMissing();
        double getSeconds = team.Run("get in order", phases.Get);
        double randomSeconds = team.Run("get at random", phases.GetAtRandom);
        double batchSeconds = team.Run("get in batches", phases.GetBatched);
        double replaceSeconds = team.Run("replace at random", phases.ReplaceAtRandom);
        double mixedSeconds = team.Run("mixed", phases.Mix);
        CheckMissing(options, phases.TakeMissing());
        double removeSeconds = team.Run("remove", phases.Remove);
        CheckMissing(options, phases.TakeMissing());
        return new CacheReport
        {
            Mode = options.Mode.ToString().ToLowerInvariant(),
            Store = options.Store.ToString().ToLowerInvariant(),
            Entries = LoadOption.NameOf(options.Entries),
            ValueBytes = options.ValueBytes,
            Count = options.Count,
            Threads = options.Threads,
            InsertPerSecond = Figure.PerSecond(options.Count - anchors, putSeconds),
            GetPerSecond = Figure.PerSecond(options.Count, getSeconds),
            RandomGetPerSecond = Figure.PerSecond(options.Count, randomSeconds),
            BatchGetPerSecond = Figure.PerSecond(options.Count, batchSeconds),
            ReplacePerSecond = Figure.PerSecond(options.Count, replaceSeconds),
            MixedPerSecond = Figure.PerSecond(options.Count, mixedSeconds),
            RemovePerSecond = Figure.PerSecond(options.Count, removeSeconds),
            GrowPerSecond = Figure.PerSecond(options.Count, growSeconds),
            LostEntries = options.Count - full.EntryCount,
            OverheadBytesPerEntry = Math.Round(bytesPerEntry - sizeof(long) - options.ValueBytes, 2),
            FullCollectionMs = Figure.Rounded(fullCollectionMs, 3),
            MaxPutMs = Figure.Rounded(phases.Times.Max(static times => times.All.MaxNs) / 1e6, 3),
            MaxPutCpuMs = ThreadClock.IsSupported ? Figure.Rounded(phases.Times.Max(static times => times.MaxCpuNs) / 1e6, 3) : null,
            PutsOver1Ms = phases.Times.Sum(static times => times.LongPuts),
            LatencyUs = LatencyReport.Of(phases.Times.Select(static times => times.All)),
        };
    }

    // Each table grows anew, or what growth runs would not be compiled well. A small or brief load takes no time for that.
    private static void Rehearse(CacheOptions options, CancellationToken stop)
    {
        CacheOptions small =
            options with { Count = Math.Min(options.Count, RehearsalEntries), ValueBytes = Math.Min(options.ValueBytes, 1024) };
        bool untilCompiled = options.Count > RehearsalEntries && !Brevity.IsWanted;
        var compilation = new CompilationWatch();
        for (int i = 0; i < RehearsedTables || (untilCompiled && !compilation.IsOver); i++)
            RehearseTable(small, stop);
    }

    private static void RehearseTable(CacheOptions options, CancellationToken stop)
    {
        var layout = new LoadLayout(options.ValueBytes, threads: 1);
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null); // a mapped table has its own code paths
        var pileOptions = new PileOptions { Store = options.Store, Directory = directory?.PilePath, SegmentBytes = 16 << 20 };
        using var phases = new TablePhases(pileOptions, options, layout);
        Worker worker = Worker.Divide(options.Count, 1)[0];
        for (int i = 0; i < RehearsalRounds; i++)
        {
            stop.ThrowIfCancellationRequested();
            phases.PutTimed(worker, 0, options.Count);
            phases.Get(worker, 0, options.Count);
            phases.GetAtRandom(worker, 0, options.Count);
            phases.GetBatched(worker, 0, options.Count);
            phases.ReplaceAtRandom(worker, 0, options.Count);
            phases.Mix(worker, 0, options.Count);
            phases.Remove(worker, 0, options.Count);
        }
    }

    private static void RequireMemory(CacheOptions options)
    {
        if (options.Store == StoreKind.Mapped)
            return;
        MachineLimits.Require(
            $"--count {options.Count} of --value-bytes {options.ValueBytes}", options.Count * (options.ValueBytes + 48L),
            MachineLimits.FreeMemoryBytes(), "memory", "Lower one of them, or use --store mapped.");
    }

    private static void CheckMissing(CacheOptions options, long missing)
    {
        if (options.Mode == CollisionMode.Durable && missing != 0)
        {
            throw new LoadException(string.Create(
                CultureInfo.InvariantCulture, $"{missing:N0} entries were missing from a durable table. The table is at fault."));
        }
    }
}
