using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tables;

/// <summary>Replays a trace through a table with a limit of entries: gets each key, and puts it when it is missing.</summary>
internal sealed class TableReplay
{
    private readonly CacheTable<long, byte[]> _table;
    private readonly int[] _accesses;

    private TableReplay(CacheTable<long, byte[]> table, int[] accesses)
    {
        _table = table;
        _accesses = accesses;
    }

    /// <summary>Runs it.</summary>
    internal static ReplayFigures Run(Trace trace, long capacity, int threads, ILoadProgress progress, CancellationToken stop)
    {
        using var cache = new PileCache(new Pile(), ownsPile: true);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(new TableOptions("trace") { MaxEntries = capacity });
        var replay = new TableReplay(table, trace.Accesses);
        (HitTally hits, double seconds) = new TraceDealer(trace, threads).Run(replay.Replay, progress, stop);
        return table.Count > capacity
            ? throw new LoadException($"The table has {table.Count} entries, and its limit is {capacity}. The table is at fault.")
            : new ReplayFigures(hits, seconds, OverheadBytes: 0);
    }

    private HitTally Replay(int start, int end)
    {
        Span<byte> value = stackalloc byte[sizeof(long)];
        value.Clear();
        int hits = 0;
        for (int i = start; i < end; i++)
        {
            if (_table.TryRead(_accesses[i], value, out _))
                hits++;
            else
                _table.PutBytes(_accesses[i], value, out _);
        }
        return new HitTally(end - start, hits, 0, 0);
    }
}

/// <summary>What a table did with a trace.</summary>
/// <param name="Hits">The hits.</param>
/// <param name="Seconds">The time of all accesses.</param>
/// <param name="OverheadBytes">At the end: the bytes of a limit in bytes that went to the index and the queues.</param>
internal sealed record ReplayFigures(HitTally Hits, double Seconds, long OverheadBytes)
{
    /// <summary>Accesses a second, each with a put when it missed.</summary>
    internal double PerSecond => Hits.Accesses / System.Math.Max(Seconds, 1e-9);
}

/// <summary>Replays a trace with sizes through a table with a limit in bytes: asks for each key, and puts it when it is missing.</summary>
internal sealed class SizedReplay
{
    /// <summary>The smallest limit that a table takes.</summary>
    internal const long MinLimitBytes = 1 << 20;

    private readonly CacheTable<long, byte[]> _table;
    private readonly int[] _accesses;
    private readonly int[] _sizes;
    private readonly byte[] _value;

    private SizedReplay(CacheTable<long, byte[]> table, Trace trace)
    {
        _table = table;
        _accesses = trace.Accesses;
        _sizes = trace.SizesBytes!;
        _value = new byte[_sizes.Max()];
    }

    /// <summary>Runs it.</summary>
    /// <inheritdoc cref="TableReplay.Run"/>
    internal static ReplayFigures Run(Trace trace, long limitBytes, int threads, ILoadProgress progress, CancellationToken stop)
    {
        using var cache = new PileCache(new Pile(), ownsPile: true);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(new TableOptions("trace") { MaxBytes = limitBytes });
        var replay = new SizedReplay(table, trace);
        (HitTally hits, double seconds) = new TraceDealer(trace, threads).Run(replay.Replay, progress, stop);
        TableStatistics end = table.Statistics;
        return end.TotalBytes > limitBytes
            ? throw new LoadException($"The table has {end.TotalBytes} bytes, and its limit is {limitBytes}. The table is at fault.")
            : new ReplayFigures(hits, seconds, end.IndexBytes + end.EvictionBytes);
    }

    /// <summary>Asks a table without a limit what the entry of each key of a trace costs it.</summary>
    internal static long[] WeighKeys(Trace trace)
    {
        using var cache = new PileCache(new Pile(), ownsPile: true);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(new TableOptions("weigh"));
        var costs = new Dictionary<int, long>();
        var value = new byte[trace.SizesBytes!.Max()];
        return Array.ConvertAll(trace.SizesBytes!, size =>
        {
            if (costs.TryGetValue(size, out long cost))
                return cost;
            table.PutBytes(0, value.AsSpan(0, size), out _);
            return costs[size] = table.Statistics.BlockBytes;
        });
    }

    private HitTally Replay(int start, int end)
    {
        long hits = 0;
        long bytes = 0;
        long hitBytes = 0;
        for (int i = start; i < end; i++)
        {
            int key = _accesses[i];
            int size = _sizes[key];
            bytes += size;
            if (_table.TryGetInfo(key, out _))
            {
                hits++;
                hitBytes += size;
            }
            else
            {
                _table.PutBytes(key, _value.AsSpan(0, size), out _);
            }
        }
        return new HitTally(end - start, hits, bytes, hitBytes);
    }
}

/// <summary>Distributes the accesses of a trace to threads in small batches, in the order of the trace.</summary>
internal sealed class TraceDealer(Trace trace, int threads)
{
    private const int BatchAccesses = 64;

    private readonly HitTally[] _tallies = new HitTally[threads];
    private int _next;

    /// <summary>Replays the accesses from one number up to another.</summary>
    /// <returns>The hits.</returns>
    internal delegate HitTally ReplayBatch(int start, int end);

    /// <summary>Replays all accesses on the threads.</summary>
    /// <returns>The hits, and the seconds that it took.</returns>
    internal (HitTally Hits, double Seconds) Run(ReplayBatch replayBatch, ILoadProgress progress, CancellationToken stop)
    {
        using var team = new WorkerTeam(Worker.Divide(trace.Accesses.Length, threads), BatchAccesses, progress, stop);
        double seconds = team.Run("table", (worker, start, end) => Take(replayBatch, worker.Index, end - start));
        return (_tallies.Aggregate(Sum), seconds);
    }

    // A worker's own numbers only say how many accesses to take; which ones is decided at its turn.
    private void Take(ReplayBatch replayBatch, int worker, int count)
    {
        int end = Interlocked.Add(ref _next, count);
        _tallies[worker] = Sum(_tallies[worker], replayBatch(end - count, end));
    }

    private static HitTally Sum(HitTally one, HitTally other) =>
        new(one.Accesses + other.Accesses, one.Hits + other.Hits, one.Bytes + other.Bytes, one.HitBytes + other.HitBytes);
}
