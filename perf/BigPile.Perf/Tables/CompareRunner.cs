using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Tables;

/// <summary>Runs the same load through several stores, one after another in one process.</summary>
internal sealed class CompareRunner
{
    private const int BatchEntries = 4096;

    private static readonly int RehearsalRounds = Brevity.Of(usual: 60, brief: 1);

    private readonly CacheOptions _options;
    private readonly ILoadProgress _progress;
    private readonly CancellationToken _stop;

    private CompareRunner(CacheOptions options, ILoadProgress progress, CancellationToken stop)
    {
        _options = options;
        _progress = progress;
        _stop = stop;
    }

    /// <summary>Runs the load.</summary>
    /// <exception cref="LoadException">A store gave a wrong answer.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static CompareReport Run(CacheOptions options, ILoadProgress progress, CancellationToken stop)
    {
        var runner = new CompareRunner(options, progress, stop);
        var sides = new List<CompareSideReport>
        {
            runner.Measure<TableSide>(),
            runner.Measure<DictionarySide>(),
            runner.Measure<MemoryCacheSide>(),
        };
        return new CompareReport { Count = options.Count, ValueBytes = options.ValueBytes, Threads = options.Threads, Sides = sides };
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // a side must be out of every frame before the next one is made
    private CompareSideReport Measure<TSide>()
        where TSide : class, ICompareSide, new()
    {
        Rehearse<TSide>();
        GC.Collect();
        using var side = new TSide();
        using var team = new WorkerTeam(Worker.Divide(_options.Count, _options.Threads), BatchEntries, _progress, _stop);
        TimeSpan pausesBefore = GC.GetTotalPauseDuration();
        int collectionsBefore = GC.CollectionCount(0);
        double putSeconds = team.Run($"{side.Name}: put", (worker, start, end) => Put(side, start, end));
        double getSeconds = team.Run($"{side.Name}: get at random", (worker, start, end) => Get(side, start, end));
        TimeSpan pauses = GC.GetTotalPauseDuration() - pausesBefore;
        int collections = GC.CollectionCount(0) - collectionsBefore;
        double fullCollectionMs = FullCollection.MeasureLongestMs();
        long managedBytes = GC.GetTotalMemory(forceFullCollection: false);
        GC.KeepAlive(side);
        return new CompareSideReport
        {
            Name = side.Name,
            InsertPerSecond = Math.Round(_options.Count / Math.Max(putSeconds, 1e-9)),
            RandomGetPerSecond = Math.Round(_options.Count / Math.Max(getSeconds, 1e-9)),
            Collections = collections,
            TotalPauseMs = Math.Round(pauses.TotalMilliseconds, 1),
            LongestFullCollectionMs = Math.Round(fullCollectionMs, 3),
            ManagedBytes = managedBytes,
        };
    }

    private void Rehearse<TSide>()
        where TSide : class, ICompareSide, new()
    {
        using var side = new TSide();
        int count = Math.Min(_options.Count, BatchEntries);
        for (int i = 0; i < RehearsalRounds; i++)
        {
            Put(side, 0, count);
            Get(side, 0, count, count);
        }
    }

    private void Put(ICompareSide side, int start, int end)
    {
        var value = new byte[_options.ValueBytes];
        for (int i = start; i < end; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(value, i);
            side.Put(i, value);
        }
    }

    private void Get(ICompareSide side, int start, int end) => Get(side, start, end, _options.Count);

    private void Get(ICompareSide side, int start, int end, int limit)
    {
        var room = new byte[_options.ValueBytes];
        var order = new RandomOrder(seed: start, limit);
        for (int i = start; i < end; i++)
        {
            int key = order.Next();
            if (!side.TryGet(key, room, out long number) || number != key)
                throw new LoadException($"Entry {key} of {side.Name} came back as another one than was put, or not at all.");
        }
    }
}
