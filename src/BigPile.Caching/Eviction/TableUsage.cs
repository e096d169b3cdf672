using System;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Caching.Eviction;

/// <summary>
/// What a limited table has and has promised to puts on their way; compared with the limits before it grows, never after.
/// </summary>
internal sealed class TableUsage : CacheLineIsolated
{
    internal long Entries;
    internal long FootprintBytes;

    private readonly long[] _footprintBytesOf = new long[(int)EntryPriority.NeverEvict + 1]; // but Normal's: that is the sum less these

    internal long MaxEntries { get; set; } = long.MaxValue;

    /// <summary>Takes an entry or none and bytes, if the limits allow both.</summary>
    internal bool TryTake(bool takesEntry, long bytes, long limitBytes)
    {
        if (takesEntry && !TryTakeEntry())
            return false;
        if (bytes == 0 || TryTakeBytes(bytes, limitBytes))
            return true;
        Release(takesEntry ? 1 : 0, 0);
        return false;
    }

    internal void Release(int entries, long footprintBytes)
    {
        if (entries != 0)
            Interlocked.Add(ref Entries, -entries);
        if (footprintBytes != 0)
            Interlocked.Add(ref FootprintBytes, -footprintBytes);
    }

    /// <summary>Notes that entries of a priority have more bytes now, or fewer.</summary>
    internal void AddToPriority(EntryPriority priority, long footprintBytes)
    {
        if (priority != EntryPriority.Normal && footprintBytes != 0)
            Interlocked.Add(ref _footprintBytesOf[(int)priority], footprintBytes);
    }

    /// <summary>The bytes of the entries that a new one of a priority may drive out; a little more while others are putting.</summary>
    internal long EvictableBytes(EntryPriority most)
    {
        if (most == EntryPriority.Low)
            return Interlocked.Read(ref _footprintBytesOf[(int)EntryPriority.Low]);
        long kept = Interlocked.Read(ref _footprintBytesOf[(int)EntryPriority.NeverEvict]);
        if (most == EntryPriority.Normal)
            kept += Interlocked.Read(ref _footprintBytesOf[(int)EntryPriority.High]);
        return Interlocked.Read(ref FootprintBytes) - kept;
    }

    /// <summary>Whether the same is noted here and there. Nobody else may be at work.</summary>
    internal bool HasSameByPriority(TableUsage other) => _footprintBytesOf.AsSpan().SequenceEqual(other._footprintBytesOf);

    /// <summary>Forgets what was noted.</summary>
    internal void ClearByPriority() => Array.Clear(_footprintBytesOf);

    private bool TryTakeEntry()
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

    private bool TryTakeBytes(long bytes, long limitBytes)
    {
        while (true)
        {
            long taken = Interlocked.Read(ref FootprintBytes);
            if (taken + bytes > limitBytes)
                return false;
            if (Interlocked.CompareExchange(ref FootprintBytes, taken + bytes, taken) == taken)
                return true;
        }
    }
}
