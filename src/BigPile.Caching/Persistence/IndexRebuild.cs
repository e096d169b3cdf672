using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Persistence;

/// <summary>Finds the entries of all tables by walking through the pile, a segment a worker, while the tables are in use.</summary>
/// <remarks>
/// Of two blocks with one key the higher version is right, and the other is freed: a kill came between a put's publishing and its freeing.
/// Removals meanwhile leave marks, so that a block which the walk has yet to find does not come back.
/// </remarks>
internal sealed class IndexRebuild(Pile pile, IReadOnlyDictionary<int, TableCore> cores, CacheReadiness readiness, CancellationToken stop)
{
    private const int EntriesAtOnce = 512;
    private const int EntriesBetweenGrowths = 64;

    private long _unreadable;

    /// <summary>Walks, and then lets the tables begin with what has to wait for the end.</summary>
    internal void Run()
    {
        ulong end = pile.EndAddress;
        ulong step = pile.SegmentUnits;
        readiness.Expect((long)end);
        var parallel = new ParallelOptions { MaxDegreeOfParallelism = Environment.ProcessorCount, CancellationToken = stop };
        Parallel.For(0L, (long)(end / step), parallel, segment => Walk((ulong)segment * step, ((ulong)segment + 1) * step));
        foreach (TableCore core in cores.Values)
            core.EndRebuild();
        if (_unreadable != 0)
            pile.Logger.LogError("The walk for the tables' entries came upon {Count} that can't be read, and left them out", _unreadable);
        pile.Logger.LogInformation("The tables' index was rebuilt from {Count} entries", readiness.EntriesFound);
    }

    private void Walk(ulong address, ulong end)
    {
        var room = new PileEntry[EntriesAtOnce];
        var found = new ulong[EntriesAtOnce];
        while (address < end && !stop.IsCancellationRequested)
        {
            ulong before = address;
            int count = pile.CollectEntries(ref address, end, room, found);
            for (int at = 0; at < count; at += EntriesBetweenGrowths)
                TakeIn(found.AsSpan(at, Math.Min(EntriesBetweenGrowths, count - at)));
            readiness.Advance((long)(Math.Min(address, end) - before), count);
        }
        stop.ThrowIfCancellationRequested();
    }

    private void TakeIn(ReadOnlySpan<ulong> addresses)
    {
        ThreadPresence presence = pile.EnterToChange();
        try
        {
            foreach (ulong address in addresses)
                pile.PrefetchEntry(address);
            foreach (ulong address in addresses)
                TakeIn(presence, address);
        }
        finally
        {
            pile.ExitAfterFree(presence);
        }
    }

    private void TakeIn(ThreadPresence presence, ulong address)
    {
        if (!TableCore.TryReadTableId(pile, address, out int tableId))
            return; // freed since the walk came by
        if (!cores.TryGetValue(tableId, out TableCore? core))
        {
            Interlocked.Increment(ref _unreadable);
            return;
        }
        if (!core.AddFound(presence, address))
            Interlocked.Increment(ref _unreadable);
        core.GrowForFound();
    }
}
