using System;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Loads;
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
    /// <exception cref="LoadException">The table went over its limit.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
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
