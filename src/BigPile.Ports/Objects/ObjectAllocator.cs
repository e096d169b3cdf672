using System;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Objects;

/// <summary>Finds granules in a row that no living object has, and makes an object of them.</summary>
/// <remarks>
/// <para>
/// Nothing is shared but the granules' words: who becomes the first holder of a granule's object takes the granules one by one, each by a
/// compare-and-swap from an owner that is dead. Who meets a living one lets go of the head, and with it of all. So does the cleaner of one
/// who died half-way.
/// </para>
/// <para>
/// A process goes round in a window that fits the processor's caches, oldest first: what was freed last is still in the cache of the core
/// that read it. It moves where there is room when there is none in its window. Thread safety: the caller has the process's lock.
/// </para>
/// </remarks>
internal sealed class ObjectAllocator
{
    private const long WindowBytes = 8 << 20;

    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private readonly PortTestHooks _hooks;
    private readonly long _granules;
    private readonly long _window;
    private long _windowStart;
    private long _next;

    internal ObjectAllocator(ObjectTable objects, RefCounts refCounts, int slot, PortTestHooks hooks)
    {
        _hooks = hooks;
        _objects = objects;
        _refCounts = refCounts;
        _granules = objects.Shape.Granules;
        _window = Math.Max(1, Math.Min(_granules, WindowBytes / objects.Shape.GranuleBytes));
        _next = _windowStart = _granules <= _window ? 0 : slot * _window % _granules;
    }

    /// <summary>Makes an object, held once by this process.</summary>
    /// <returns><see langword="false"/> when there is no room in a row.</returns>
    internal bool TryAllocateLocked(long lengthBytes, out Reference reference)
    {
        long count = _objects.Shape.GranulesOf(lengthBytes);
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
            from = used < 0 ? from + 1 : used + 1; // another process was faster, or there is a living one
        }
        return false;
    }

    // The last of some granules that a living object has; -1 for none.
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
        reference = default;
        if (!_refCounts.TryAcquireFirst(head))
            return false;
        _hooks.Pass(PortCrashPoint.HeadTaken);
        ObjectRecord record = _objects[head];
        ulong generation = record.Generation >= Reference.MaxGeneration ? 1 : record.Generation + 1;
        Volatile.Write(ref record.Length, new ChecksummedLength(lengthBytes, generation).Word);
        Volatile.Write(ref record.Generation, generation);
        reference = new Reference(head, generation);
        for (long granule = head; granule < head + count; granule++)
        {
            ref ulong owner = ref _objects[granule].Owner;
            ulong before = Volatile.Read(ref owner);
            if (!_objects.IsLive(new Reference(before)) && Interlocked.CompareExchange(ref owner, reference.Word, before) == before)
            {
                _hooks.Pass(PortCrashPoint.GranuleTaken);
                continue;
            }
            _refCounts.Release(head);
            return false;
        }
        return true;
    }
}
