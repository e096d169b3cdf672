using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Objects;

/// <summary>Allocates objects: consecutive granules that no living object owns.</summary>
/// <remarks>
/// <para>
/// The granules' words are the only shared state. The first holder of an object takes its granules one by one, each by compare-and-swap
/// from a dead owner. If it meets a living owner, it releases the first granule, and with it all of them. So does the cleaner of a process
/// that died half-way.
/// </para>
/// <para>
/// A process allocates round robin in a window that fits the processor's cache: the memory that was freed last is still in the cache of the
/// core that read it. If the window is full, it moves to where there is space. Thread safety: the caller holds the process's lock.
/// </para>
/// </remarks>
internal sealed class ObjectAllocator
{
    private const long WindowBytes = 8 << 20;

    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private readonly long _granules;
    // The length of the window, in granules.
    private readonly long _window;
    // The first granule of the window, and where the next search begins.
    private long _windowStart;
    private long _next;

    internal ObjectAllocator(ObjectTable objects, RefCounts refCounts, int slot)
    {
        _objects = objects;
        _refCounts = refCounts;
        _granules = objects.Shape.Granules;
        _window = Math.Max(1, Math.Min(_granules, WindowBytes / objects.Shape.GranuleBytes));
        _next = _windowStart = _granules <= _window ? 0 : slot * _window % _granules;
    }

    /// <summary>Allocates an object, with one reference of this process.</summary>
    /// <returns><see langword="false"/> if there is no contiguous space.</returns>
    internal bool TryAllocateLocked(long lengthBytes, out Reference reference)
    {
        long count = _objects.Shape.GranulesOf(lengthBytes);
        Debug.Assert(_windowStart <= _next && _next <= _granules, "The next search begins behind the last object of the window.");
        long windowEnd = Math.Min(_windowStart + _window, _granules);
        if (TryAllocateBetween(_next, windowEnd, count, lengthBytes, out reference)
            || TryAllocateBetween(_windowStart, Math.Min(_next + count, windowEnd), count, lengthBytes, out reference))
            return true;
        if (!TryAllocateBetween(windowEnd, _granules, count, lengthBytes, out reference)
            && !TryAllocateBetween(0, _granules, count, lengthBytes, out reference))
            return false;
        _windowStart = reference.Head;
        return true;
    }

    /// <summary>Checks that the window and the next search are in the arena, for tests. The caller holds the process's lock.</summary>
    internal void CheckInvariantsLocked()
    {
        Invariant.Between("Allocator", 0, "start of the window", _windowStart, 0, _granules - 1);
        Invariant.Between("Allocator", 0, "start of the next search", _next, _windowStart, _granules);
    }

    private bool TryAllocateBetween(long from, long end, long count, long lengthBytes, out Reference reference)
    {
        reference = default;
        while (from + count <= end)
        {
            long used = LastUsed(from, count);
            if (used < 0 && TryAllocateAt(from, count, lengthBytes, out reference))
            {
                _next = from + count;
                return true;
            }
            from = used < 0 ? from + 1 : used + 1; // another process was faster, or an object is alive
        }
        return false;
    }

    // Returns the last granule of a range that a living object owns; -1 if there is none.
    private long LastUsed(long from, long count)
    {
        for (long granule = from + count - 1; granule >= from; granule--)
        {
            if (_objects.IsLive(new Reference(Volatile.Read(ref _objects[granule].Owner))))
                return granule;
        }
        return -1;
    }

    private bool TryAllocateAt(long head, long count, long lengthBytes, out Reference reference)
    {
        Debug.Assert(count >= 1 && head + count <= _granules, "All granules of an object are in the arena.");
        reference = default;
        if (!_refCounts.TryAcquireFirst(head))
            return false;
        CrashPoints.Pass(PortCrashPoint.HeadTaken);
        ObjectRecord record = _objects[head];
        ulong last = Volatile.Read(ref record.Generation); // read once: another process may write over it
        ulong generation = last >= Reference.MaxGeneration ? 1 : last + 1;
        Volatile.Write(ref record.Length, new ChecksummedLength(lengthBytes, generation).Word);
        Volatile.Write(ref record.Generation, generation);
        reference = new Reference(head, generation);
        for (long granule = head; granule < head + count; granule++)
        {
            ref ulong owner = ref _objects[granule].Owner;
            ulong before = Volatile.Read(ref owner);
            if (!_objects.IsLive(new Reference(before)) && Interlocked.CompareExchange(ref owner, reference.Word, before) == before)
            {
                CrashPoints.Pass(PortCrashPoint.GranuleTaken);
                continue;
            }
            _refCounts.Release(head);
            return false;
        }
        return true;
    }
}
