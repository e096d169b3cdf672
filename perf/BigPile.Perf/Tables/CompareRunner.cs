using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Perf.Stores;

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
    internal static CompareReport Run(CacheOptions options, ILoadProgress progress, CancellationToken stop)
    {
        var runner = new CompareRunner(options, progress, stop);
        var sides = new List<CompareSideReport>
        {
            runner.Measure(static _ => new TableStore<long>(copies: true)),
            runner.Measure(static _ => new ConcurrentDictionaryStore<long>()),
            runner.Measure(static _ => new MemoryCacheStore<long>()),
            runner.Measure(BitFasterStore<long>.Lru),
            runner.Measure(BitFasterStore<long>.Lfu),
            runner.Measure(static _ => new FusionCacheStore<long>()),
            runner.Measure(static _ => new HybridCacheStore<long>()),
            runner.Measure(count => new FasterStore<long>(count, options.ValueBytes, BytesOf)),
        };
        return new CompareReport { Count = options.Count, ValueBytes = options.ValueBytes, Threads = options.Threads, Sides = sides };
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // a side must be out of every frame before the next one is made
    private CompareSideReport Measure(Func<int, IStore<long>> make)
    {
        Rehearse(make);
        GC.Collect();
        using IStore<long> side = make(_options.Count);
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
            InsertPerSecond = Figure.PerSecond(_options.Count, putSeconds),
            RandomGetPerSecond = Figure.PerSecond(_options.Count, getSeconds),
            Collections = collections,
            TotalPauseMs = Figure.Rounded(pauses.TotalMilliseconds, 1),
            LongestFullCollectionMs = Figure.Rounded(fullCollectionMs, 3),
            ManagedBytes = managedBytes,
        };
    }

    private static ReadOnlySpan<byte> BytesOf(in long key) => MemoryMarshal.AsBytes(new ReadOnlySpan<long>(in key));

    private void Rehearse(Func<int, IStore<long>> make)
    {
        int count = Math.Min(_options.Count, BatchEntries);
        using IStore<long> side = make(count);
        for (int i = 0; i < RehearsalRounds; i++)
        {
            Put(side, 0, count);
            Get(side, 0, count, count);
        }
    }

    private void Put(IStore<long> side, int start, int end)
    {
        var value = new byte[_options.ValueBytes];
        for (int i = start; i < end; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(value, i);
            side.Put(i, value);
        }
    }

    private void Get(IStore<long> side, int start, int end) => Get(side, start, end, _options.Count);

    private void Get(IStore<long> side, int start, int end, int limit)
    {
        var buffer = new byte[_options.ValueBytes];
        var order = new RandomOrder(seed: start, limit);
        for (int i = start; i < end; i++)
        {
            int key = order.Next();
            if (!BinaryPrimitives.TryReadInt64LittleEndian(side.Get(key, buffer), out long number) || number != key)
                throw new LoadException($"Entry {key} of {side.Name} came back as another one than was put, or not at all.");
        }
    }
}
