using System;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Caching.Capacity;

/// <summary>
/// What a limited table holds: entries and footprint, including what is reserved for puts under way. Reserved before the table grows, so a
/// limit is never exceeded.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently, but <see cref="Begin"/>.</remarks>
internal sealed class Budget : CacheLineIsolated
{
    private long _entries; // present and reserved; changed atomically by any thread
    private long _footprintBytes; // present and reserved; changed atomically by any thread
    private long _ownedBytes; // of objects that go with entries; changed atomically by any thread
    private long _maxEntries = long.MaxValue; // changed while no thread is in the table

    // Footprint by priority, except Normal: that is the total less the others. Changed atomically by any thread.
    private readonly long[] _footprintBytesOf = new long[(int)EntryPriority.NeverEvict + 1];

    internal long Entries => Volatile.Read(ref _entries);

    internal long FootprintBytes => Volatile.Read(ref _footprintBytes);

    /// <summary>The bytes of objects that go with entries which may be evicted. No limit counts them.</summary>
    /// <remarks>
    /// It is inexact once objects are replaced through the pile, which knows no entry of theirs: finding it would cost each replacement a
    /// search of all tables. What a replacement adds or takes is not counted, and remains as an error after the entry has gone.
    /// </remarks>
    internal long OwnedBytes => Volatile.Read(ref _ownedBytes);

    internal long MaxEntries => _maxEntries;

    /// <summary>Begins with what the table has. No thread is in it, so nothing is reserved.</summary>
    internal void Begin(long maxEntries, long entries, long footprintBytes)
    {
        _maxEntries = maxEntries;
        _entries = entries;
        _footprintBytes = footprintBytes;
    }

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
            Interlocked.Add(ref _entries, -entries);
        if (footprintBytes != 0)
            Interlocked.Add(ref _footprintBytes, -footprintBytes);
    }

    /// <summary>Adds to the footprint of a priority; negative to subtract.</summary>
    internal void AddToPriority(EntryPriority priority, long footprintBytes)
    {
        if (priority != EntryPriority.Normal && footprintBytes != 0)
            Interlocked.Add(ref _footprintBytesOf[(int)priority], footprintBytes);
    }

    /// <summary>Adds to the bytes of owned objects; negative to subtract. An object that was replaced meanwhile has another size.</summary>
    internal void AddOwned(long bytes)
    {
        long before;
        do
            before = Volatile.Read(ref _ownedBytes);
        while (Interlocked.CompareExchange(ref _ownedBytes, Math.Max(0, before + bytes), before) != before);
    }

    /// <summary>The footprint of the entries that one of a priority may evict; slightly too high during concurrent puts.</summary>
    internal long EvictableBytes(EntryPriority most)
    {
        if (most == EntryPriority.Low)
            return Volatile.Read(ref _footprintBytesOf[(int)EntryPriority.Low]);
        long kept = Volatile.Read(ref _footprintBytesOf[(int)EntryPriority.NeverEvict]);
        if (most == EntryPriority.Normal)
            kept += Volatile.Read(ref _footprintBytesOf[(int)EntryPriority.High]);
        return FootprintBytes - kept;
    }

    /// <summary>Whether the footprints by priority are equal. The caller has exclusive access.</summary>
    internal bool HasSameByPriority(Budget other) => _footprintBytesOf.AsSpan().SequenceEqual(other._footprintBytesOf);

    /// <summary>Zeroes the footprints by priority.</summary>
    internal void ClearByPriority() => Array.Clear(_footprintBytesOf);

    private bool TryTakeEntry()
    {
        while (true)
        {
            long entries = Volatile.Read(ref _entries);
            if (entries >= _maxEntries)
                return false;
            if (Interlocked.CompareExchange(ref _entries, entries + 1, entries) == entries)
                return true;
        }
    }

    private bool TryTakeBytes(long bytes, long limitBytes)
    {
        while (true)
        {
            long taken = Volatile.Read(ref _footprintBytes);
            if (taken + bytes > limitBytes)
                return false;
            if (Interlocked.CompareExchange(ref _footprintBytes, taken + bytes, taken) == taken)
                return true;
        }
    }
}
