using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching.Eviction;

/// <summary>What a limited table has and has promised to puts on their way; compared with the limits before it grows, never after.</summary>
internal sealed class TableUsage : CacheLineIsolated
{
    internal long Entries;
    internal long RoomBytes;

    internal long MaxEntries { get; set; } = long.MaxValue;

    /// <summary>Takes an entry, if the limit allows.</summary>
    internal bool TryTakeEntry()
    {
        while (true)
        {
            long entries = Interlocked.Read(ref Entries);
            if (entries >= MaxEntries)
                return false;
            if (Interlocked.CompareExchange(ref Entries, entries + 1, entries) == entries)
                return true;
        }
    }

    /// <summary>Takes bytes, if no more than a limit are taken then.</summary>
    internal bool TryTakeBytes(long bytes, long limitBytes)
    {
        while (true)
        {
            long taken = Interlocked.Read(ref RoomBytes);
            if (taken + bytes > limitBytes)
                return false;
            if (Interlocked.CompareExchange(ref RoomBytes, taken + bytes, taken) == taken)
                return true;
        }
    }

    internal void Release(int entries, long roomBytes)
    {
        if (entries != 0)
            Interlocked.Add(ref Entries, -entries);
        if (roomBytes != 0)
            Interlocked.Add(ref RoomBytes, -roomBytes);
    }
}
