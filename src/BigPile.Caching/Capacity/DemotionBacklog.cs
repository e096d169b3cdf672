using System;
using System.Collections.Concurrent;
using System.Threading;
using BigPile.Tables;

namespace BigPile.Caching.Capacity;

/// <summary>What the tables of a pile have evicted and not written to their files yet: copies beside the pile.</summary>
/// <remarks>
/// The background writes them, table by table. Where it does not keep up, each put writes several times what it adds, so that none waits
/// for the files of all tables; and whatever else is above twice the bound, which memory must not exceed by more.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class DemotionBacklog(TableHeap heap)
{
    private const long MostBytes = 4 << 20; // that wait for the background alone
    private const int ShareOfLimit = 32; // the same, in a small pile
    private const int PutsShare = 4; // what a put writes of its own size
    private const long BytesAtOnce = 1 << 20; // of one table in the background

    private readonly ConcurrentQueue<IEvictingTable> _owing = new(); // each once
    private long _bytes; // interlocked
    private int _isWriting; // 1 while the background writes, or will

    /// <summary>The copies that wait.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>The most that wait while puts do not: they write above it. In a burst it may be twice as much.</summary>
    internal long BoundBytes => Math.Min(MostBytes, heap.LimitBytes / ShareOfLimit);

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
        long left = Bytes <= most ? 0 : Math.Max(PutsShare * putBytes, Bytes - 2 * most);
        while (left > 0 && TryWriteNext(left, out long written))
            left -= written;
    }

    private void WriteAll()
    {
        try
        {
            while (TryWriteNext(BytesAtOnce, out _))
                continue;
        }
        finally
        {
            Interlocked.Exchange(ref _isWriting, 0);
        }
        QueueWrite(); // for what was added before the flag fell
    }

    private bool TryWriteNext(long mostBytes, out long written)
    {
        written = 0;
        if (!_owing.TryDequeue(out IEvictingTable? table))
            return false;
        written = table.Drain(mostBytes);
        if (written >= mostBytes && table.TryBeginToOwe()) // there may be more
            _owing.Enqueue(table);
        return true;
    }
}
