using System;
using System.Globalization;
using System.Linq;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Tables;

/// <summary>Runs a table load from nothing to nothing.</summary>
internal static class CacheRunner
{
    private const int RehearsalEntries = 4096;

    private static readonly int RehearsedTables = Brevity.Of(usual: 6, brief: 1);
    private static readonly int RehearsalRounds = Brevity.Of(usual: 10, brief: 1); // of each; frequently called methods are optimized

    /// <summary>Runs the load.</summary>
    /// <exception cref="LoadException">The table gave a wrong answer.</exception>
    /// <exception cref="PileException">The pile failed.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static CacheReport Run(CacheOptions options, ILoadProgress progress, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        RequireMemory(options);
        return options.Keys == KeyShape.Long
            ? Run<long, LongKeys>(options, default, progress, stop)
            : Run<string, StringKeys>(options, new StringKeys(options.Count), progress, stop);
    }

    private static CacheReport Run<TKey, TKeys>(CacheOptions options, TKeys keys, ILoadProgress progress, CancellationToken stop)
        where TKey : notnull
        where TKeys : struct, IKeyKind<TKey>
    {
        Rehearse<TKey, TKeys>(options, keys, stop);
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null);
        var pileOptions = new PileOptions { Store = options.Store, Directory = directory?.PilePath };
        var layout = new LoadLayout(options.ValueBytes, options.Threads);
        using var phases = new TablePhases<TKey, TKeys>(pileOptions, options, keys, layout);
        Worker[] workers = Worker.Divide(options.Count, options.Threads);
        using var team = new WorkerTeam(workers, layout.BatchObjects, progress, stop);
        return Measure(options, keys, phases, team, workers.Sum(layout.CountAnchors));
    }

    private static CacheReport Measure<TKey, TKeys>(
        CacheOptions options, TKeys keys, TablePhases<TKey, TKeys> phases, WorkerTeam team, int anchors)
        where TKey : notnull
        where TKeys : struct, IKeyKind<TKey>
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
            Keys = options.Keys.ToString().ToLowerInvariant(),
            Store = options.Store.ToString().ToLowerInvariant(),
            Entries = OptionParsers.NameOf(options.Entries),
            ValueBytes = options.ValueBytes,
            Count = options.Count,
            Threads = options.Threads,
            ReadRatio = options.ReadRatio,
            Zipf = options.Zipf,
            Batch = options.Batch,
            InsertPerSecond = Rate.PerSecond(options.Count - anchors, putSeconds),
            GetPerSecond = Rate.PerSecond(options.Count, getSeconds),
            RandomGetPerSecond = Rate.PerSecond(options.Count, randomSeconds),
            BatchGetPerSecond = Rate.PerSecond(options.Count, batchSeconds),
            ReplacePerSecond = Rate.PerSecond(options.Count, replaceSeconds),
            MixedPerSecond = Rate.PerSecond(options.Count, mixedSeconds),
            RemovePerSecond = Rate.PerSecond(options.Count, removeSeconds),
            GrowPerSecond = Rate.PerSecond(options.Count, growSeconds),
            LostEntries = options.Count - full.EntryCount,
            OverheadBytesPerEntry = Math.Round(bytesPerEntry - keys.KeyBytes - options.ValueBytes, 2),
            FullCollectionMs = Math.Round(fullCollectionMs, 3),
            MaxPutMs = Math.Round(phases.Times.Max(static times => times.All.MaxNs) / 1e6, 3),
            MaxPutCpuMs = ThreadClock.IsSupported ? Math.Round(phases.Times.Max(static times => times.MaxCpuNs) / 1e6, 3) : null,
            PutsOver1Ms = phases.Times.Sum(static times => times.LongPuts),
            LatencyUs = LatencyReport.Of(phases.Times.Select(static times => times.All)),
        };
    }

    // Each table grows anew, or what growth runs would not be compiled well. A small or brief load takes no time for that.
    private static void Rehearse<TKey, TKeys>(CacheOptions options, TKeys keys, CancellationToken stop)
        where TKey : notnull
        where TKeys : struct, IKeyKind<TKey>
    {
        CacheOptions small =
            options with { Count = Math.Min(options.Count, RehearsalEntries), ValueBytes = Math.Min(options.ValueBytes, 1024) };
        bool untilCompiled = options.Count > RehearsalEntries && !Brevity.IsWanted;
        var compilation = new CompilationWatch();
        for (int i = 0; i < RehearsedTables || (untilCompiled && !compilation.IsOver); i++)
            RehearseTable<TKey, TKeys>(small, keys, stop);
    }

    private static void RehearseTable<TKey, TKeys>(CacheOptions options, TKeys keys, CancellationToken stop)
        where TKey : notnull
        where TKeys : struct, IKeyKind<TKey>
    {
        var layout = new LoadLayout(options.ValueBytes, threads: 1);
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null); // a mapped table has its own code paths
        var pileOptions = new PileOptions { Store = options.Store, Directory = directory?.PilePath, SegmentBytes = 16 << 20 };
        using var phases = new TablePhases<TKey, TKeys>(pileOptions, options, keys, layout);
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
        long neededBytes = options.Count * (options.ValueBytes + 48L);
        GCMemoryInfo info = GC.GetGCMemoryInfo();
        long freeBytes = Math.Max(0, info.TotalAvailableMemoryBytes - info.MemoryLoadBytes);
        if (neededBytes > freeBytes && freeBytes != 0)
        {
            throw new LoadException(string.Create(
                CultureInfo.InvariantCulture,
                $"--count {options.Count} of --value-bytes {options.ValueBytes} needs {neededBytes:N0} bytes of memory, and "
                + $"{freeBytes:N0} are free. Lower one of them, or use --store mapped."));
        }
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
