using System;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Caching.Eviction;

/// <summary>
/// The usage of a limited table: entries and footprint, including what is reserved for puts under way. Reserved before the table grows, so
/// a limit is never exceeded.
/// </summary>
internal sealed class TableUsage : CacheLineIsolated
{
    internal long Entries; // present and reserved; changed atomically by any thread
    internal long FootprintBytes; // present and reserved; changed atomically by any thread

    // Footprint by priority, except Normal: that is the total less the others. Changed atomically by any thread.
    private readonly long[] _footprintBytesOf = new long[(int)EntryPriority.NeverEvict + 1];

    internal long MaxEntries { get; set; } = long.MaxValue;

    /// <summary>Reserves one entry or none, and bytes, if the limits allow both.</summary>
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

    /// <summary>Adds to the footprint of a priority; negative to subtract.</summary>
    internal void AddToPriority(EntryPriority priority, long footprintBytes)
    {
        if (priority != EntryPriority.Normal && footprintBytes != 0)
            Interlocked.Add(ref _footprintBytesOf[(int)priority], footprintBytes);
    }

    /// <summary>The footprint of the entries that one of a priority may evict; slightly too high during concurrent puts.</summary>
    internal long EvictableBytes(EntryPriority most)
    {
        if (most == EntryPriority.Low)
            return Interlocked.Read(ref _footprintBytesOf[(int)EntryPriority.Low]);
        long kept = Interlocked.Read(ref _footprintBytesOf[(int)EntryPriority.NeverEvict]);
        if (most == EntryPriority.Normal)
            kept += Interlocked.Read(ref _footprintBytesOf[(int)EntryPriority.High]);
        return Interlocked.Read(ref FootprintBytes) - kept;
    }

    /// <summary>Whether the footprints by priority are equal. The caller has exclusive access.</summary>
    internal bool HasSameByPriority(TableUsage other) => _footprintBytesOf.AsSpan().SequenceEqual(other._footprintBytesOf);

    /// <summary>Zeroes the footprints by priority.</summary>
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
