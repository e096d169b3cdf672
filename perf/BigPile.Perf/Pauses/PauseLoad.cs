using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Pauses;

/// <summary>Fills a holder with persons, replaces and gets some for a while, and reports the collector's pauses.</summary>
internal sealed class PauseLoad : IDisposable
{
    private const int BatchObjects = 256; // between two reads of the clock and of the collector's state
    private const int GetsPerSet = 3;

    private readonly PauseOptions _options;
    private readonly IObjectHolder _holder;
    private readonly Worker[] _workers;
    private readonly WorkerTeam _team;
    private readonly long[] _changes;
    private readonly CancellationToken _stop;
    private PauseMeter _meter = new();

    internal PauseLoad(PauseOptions options, IObjectHolder holder, ILoadProgress progress, CancellationToken stop)
    {
        _options = options;
        _holder = holder;
        _stop = stop;
        _workers = Worker.Divide(options.Count, options.Threads);
        _changes = new long[options.Threads];
        _team = new WorkerTeam(_workers, BatchObjects, progress, stop);
    }

    /// <summary>Runs the load.</summary>
    internal static PauseReport Run(PauseOptions options, ILoadProgress progress, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        PauseMemory.Require(options);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        using IObjectHolder holder = options.Holder == PauseHolder.Heap ? new HeapHolder(options.Count) : new PileHolder(options.Count);
        using var load = new PauseLoad(options, holder, progress, stop);
        return load.Run(before);
    }

    public void Dispose() => _team.Dispose();

    /// <summary>Runs the load.</summary>
    /// <param name="managedBytesBefore">The bytes of managed memory before the holder was made.</param>
    internal PauseReport Run(long managedBytesBefore)
    {
        double fillSeconds = _team.Run("fill", Fill);
        long managedBytes = GC.GetTotalMemory(forceFullCollection: true) - managedBytesBefore;
        double bytesPerObject = (managedBytes + _holder.NativeBytes) / (double)_options.Count;
        _meter = new PauseMeter();
        double seconds = _team.RunWhole("replace and get", Change);
        double longestMs = _meter.LongestMs;
        int collections = _meter.Collections;
        double fullCollectionMs = FullCollection.MeasureLongestMs();
        _team.Run("check", Check);
        return new PauseReport
        {
            Holder = _options.Holder.ToString().ToLowerInvariant(),
            Count = _options.Count,
            Threads = _options.Threads,
            FillSeconds = Figure.Rounded(fillSeconds, 3),
            BytesPerObject = Math.Round(bytesPerObject, 2),
            Seconds = Figure.Rounded(seconds, 3),
            ReplacesPerSecond = Figure.PerSecond(_changes.Sum(), seconds),
            Collections = collections,
            LongestPauseMs = Figure.Rounded(longestMs, 3),
            FullCollectionMs = Figure.Rounded(fullCollectionMs, 3),
        };
    }

    private void Fill(Worker worker, int start, int end)
    {
        for (int i = start; i < end; i++)
            _holder.Set(i, PersonMaker.Make(i));
    }

    // A worker without objects has nothing to replace.
    private void Change(Worker worker, int start, int end)
    {
        int objects = worker.End - worker.Start;
        var order = new RandomOrder(worker.Index, Math.Max(1, objects));
        long startedAt = Stopwatch.GetTimestamp();
        long lengthTicks = _options.Seconds * Stopwatch.Frequency;
        while (objects > 0 && !_stop.IsCancellationRequested)
        {
            long ticks = Stopwatch.GetTimestamp() - startedAt;
            if (ticks >= lengthTicks)
                return;
            worker.Done = (long)((double)ticks / lengthTicks * objects);
            for (int i = 0; i < BatchObjects; i++)
                ChangeOne(worker, ref order);
            _changes[worker.Index] += BatchObjects;
            _meter.Sample();
        }
    }

    private void ChangeOne(Worker worker, ref RandomOrder order)
    {
        int number = worker.Start + order.Next();
        _holder.Set(number, PersonMaker.Make(number));
        for (int i = 0; i < GetsPerSet; i++)
            CheckOne(worker.Start + order.Next());
    }

    private void Check(Worker worker, int start, int end)
    {
        for (int i = start; i < end; i++)
            CheckOne(i);
    }

    private void CheckOne(int number)
    {
        Person person = _holder.Get(number);
        if (!PersonMaker.IsOf(person, number))
            throw new LoadException($"Person {number} came back as another one than was put. The {_options.Holder} is at fault.");
    }
}

/// <summary>Checks whether a pause load fits into memory.</summary>
internal static class PauseMemory
{
    // Above the measured values, to cover what the collector holds besides live objects: a load that swaps would measure the disk.
    private const int HeapBytesPerObject = 230;
    private const int PileBytesPerObject = 110;

    /// <summary>About the most memory that the load takes.</summary>
    internal static long BytesFor(PauseHolder holder, long count) =>
        count * (holder == PauseHolder.Heap ? HeapBytesPerObject : PileBytesPerObject);

    /// <summary>Refuses a load that needs more than there is.</summary>
    internal static void Require(PauseOptions options)
    {
        string load = $"--count {options.Count} of --holder {options.Holder.ToString().ToLowerInvariant()}";
        MachineLimits.Require(load, BytesFor(options.Holder, options.Count), MachineLimits.FreeMemoryBytes(), "memory", "Lower --count.");
    }
}
