using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Loads;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tables;

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
