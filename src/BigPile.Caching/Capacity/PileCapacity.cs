using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace BigPile.Caching.Capacity;

/// <summary>The second level of capacity: tables of a full pile make space for a put, each in proportion to what it may evict.</summary>
/// <remarks>
/// Tables give way one after the other, and the caller is in no critical region: no lock of one table's buckets or evictor is held while
/// another's is taken. It may hold the lock of a key stripe, which no table takes to give way.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileCapacity
{
    private const int BatchShare = 64; // of what may go: a mapped pile has freed space only after a flush, which is worth more than one
    private const long MostBatchBytes = 1 << 20; // the pause of one put
    private const int MostAttempts = 32; // of one put; each evicts twice as much

    private readonly Lock _lock = new();
    private readonly HashSet<IGivesWay> _tables = []; // under the lock
    private bool _mayBePending; // tables gave way since the last drain; interlocked

    internal void Add(IGivesWay table)
    {
        lock (_lock)
            _tables.Add(table);
    }

    internal void Remove(IGivesWay table)
    {
        lock (_lock)
            _tables.Remove(table);
    }

    /// <summary>Evicts for a block that the pile has refused.</summary>
    /// <param name="blockBytes">The block's size.</param>
    /// <param name="attempt">The number of earlier attempts of the same put: what went had other sizes, or others took it.</param>
    /// <returns>Whether to retry; <see langword="false"/> where all that might go is less than the block, or all of it has gone.</returns>
    internal bool TryMakeSpace(long blockBytes, int attempt)
    {
        IGivesWay[] tables = Copy();
        long[] evictable = Array.ConvertAll(tables, static table => table.EvictableBytes);
        long all = evictable.Sum();
        if (all <= 0 || (attempt == 0 && all < blockBytes) || attempt >= MostAttempts)
            return false; // later what has gone counts as well
        double batch = Math.Max(blockBytes, Math.Min(all / BatchShare, MostBatchBytes));
        double share = Math.Min(1, Math.ScaleB(batch, attempt) / all);
        for (int i = 0; i < tables.Length; i++)
            tables[i].GiveWay((long)Math.Ceiling(share * evictable[i]));
        Volatile.Write(ref _mayBePending, true);
        return true;
    }

    /// <summary>
    /// Writes what tables have evicted to their files: who makes them give way waits for it, else the copies would fill the memory instead.
    /// The caller is outside of critical regions and holds no stripe lock.
    /// </summary>
    internal void Drain()
    {
        if (!Volatile.Read(ref _mayBePending) || !Interlocked.Exchange(ref _mayBePending, false))
            return;
        foreach (IGivesWay table in Copy())
            table.Drain();
    }

    private IGivesWay[] Copy()
    {
        lock (_lock)
            return [.. _tables];
    }
}

/// <summary>A table, as its full pile sees it.</summary>
internal interface IGivesWay
{
    /// <summary>The footprint of the entries that may go; 0 where none may.</summary>
    long EvictableBytes { get; }

    /// <summary>Evicts about so many bytes, by the table's own policy. The caller is outside of critical regions.</summary>
    void GiveWay(long bytes);

    /// <summary>Writes what it has evicted to its file. The caller is outside of critical regions and holds no stripe lock.</summary>
    void Drain();
}
