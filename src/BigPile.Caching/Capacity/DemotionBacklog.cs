using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;
using BigPile.Tables;

namespace BigPile.Caching.Capacity;

/// <summary>What the tables of a pile have evicted and not written to their files yet: copies beside the pile.</summary>
/// <remarks>
/// The background writes them, table by table. Where it does not keep up, each put writes several times what it adds, so that none waits
/// for the files of all tables; above twice the bound whoever evicts writes as well, also for an object, which no table puts. What can't
/// be written even then is not copied: memory has no space for it.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class DemotionBacklog(TableHeap heap)
{
    private const long LargestBound = 4 << 20; // that wait for the background alone
    private const int ShareOfLimit = 32; // the same, in a small pile
    private const int BurstBounds = 2; // above so many whoever evicts writes
    private const int MostBounds = 4; // above so many nothing is kept
    private const int PutsShare = 4; // what a put writes of its own size
    private const long BytesAtOnce = 1 << 20; // of one table in the background

    private readonly ConcurrentQueue<IEvictingTable> _owing = new(); // each once
    private long _bytes; // interlocked
    private int _isWriting; // 1 while the background writes, or will

    /// <summary>The copies that wait.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>The most that wait for the background alone; puts write above it.</summary>
    internal long BoundBytes => Math.Min(LargestBound, heap.LimitBytes / ShareOfLimit);

    /// <summary>The most that wait at all, and one copy of each thread that evicts.</summary>
    internal long MostBytes => MostBounds * BoundBytes;

    /// <summary>Whether so much waits that what the calling thread evicts for the full pile must not be copied.</summary>
    /// <remarks>What a table evicts at a limit of its own is about what a put adds, and that put writes it.</remarks>
    internal bool IsFull => PileEviction.IsOpen && Bytes >= MostBytes;

    /// <summary>A table has one copy more. It can be dequeued by now.</summary>
    internal void Add(IEvictingTable table, long bytes)
    {
        Interlocked.Add(ref _bytes, bytes);
        if (table.TryBeginToOwe())
            _owing.Enqueue(table);
    }

    /// <summary>A copy was dequeued.</summary>
    internal void Remove(long bytes) => Interlocked.Add(ref _bytes, -bytes);

    /// <summary>Writes all in the background.</summary>
    internal void QueueWrite()
    {
        if (!_owing.IsEmpty && Interlocked.Exchange(ref _isWriting, 1) == 0)
            heap.Background.Queue("the demotions of tables that gave way", WriteAll);
    }

    /// <summary>
    /// Writes a put's share, if too much waits. The caller is outside of critical regions and holds no stripe lock.
    /// </summary>
    /// <param name="putBytes">What the put has added.</param>
    internal void Write(long putBytes)
    {
        long most = BoundBytes;
        long left = Bytes <= most ? 0 : Math.Max(PutsShare * putBytes, Bytes - BurstBounds * most);
        while (left > 0 && TryWriteNext(left, waits: true, out long written))
            left -= written;
    }

    /// <summary>
    /// Writes what is above twice the bound, but for keys that others move. The caller has evicted, is outside of critical regions, and may
    /// hold the lock of a key stripe.
    /// </summary>
    internal void WriteBurst()
    {
        long left = Bytes - BurstBounds * BoundBytes;
        if (left <= 0)
            return;
        QueueWrite(); // beside this thread
        // Each table once: one whose key another thread moves owes again.
        for (int tables = _owing.Count; left > 0 && tables > 0 && TryWriteNext(left, waits: false, out long written); tables--)
            left -= written;
    }

    private void WriteAll()
    {
        try
        {
            while (TryWriteNext(BytesAtOnce, waits: true, out _))
                continue;
        }
        finally
        {
            Interlocked.Exchange(ref _isWriting, 0);
        }
        QueueWrite(); // for what was added before the flag fell
    }

    private bool TryWriteNext(long mostBytes, bool waits, out long written)
    {
        written = 0;
        if (!_owing.TryDequeue(out IEvictingTable? table))
            return false;
        written = table.Drain(mostBytes, waits);
        if (written >= mostBytes && table.TryBeginToOwe()) // there may be more
            _owing.Enqueue(table);
        return true;
    }
}

/// <summary>While it is open, its thread evicts for the full pile, or for the memory monitor.</summary>
internal readonly ref struct PileEviction : IDisposable
{
    [ThreadStatic]
    private static bool _isOpen;

    internal static bool IsOpen => _isOpen;

    internal static PileEviction Begin()
    {
        Debug.Assert(!_isOpen, "An eviction for the pile has no other one evict.");
        _isOpen = true;
        return default;
    }

    public void Dispose() => _isOpen = false;
}
