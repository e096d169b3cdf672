using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Allocation;

/// <summary>What was flushed is frozen: its room is not used again before a flush has made durable that it was freed.</summary>
/// <remarks>
/// A block is frozen if it was there when a flush last looked, whether that flush came to its end or not, and all that was found in a
/// file is. One that was put since is not: it is freed and its slot used again at once.
/// </remarks>
internal sealed unsafe partial class Allocator
{
    /// <summary>Marks an address in a list of freed blocks whose room a lease gives back.</summary>
    internal const ulong DeferredBit = 1UL << 63;

    private const int ReservedShare = 4;
    private const int LooksPerCheck = 1024;

    private int _frees;

    /// <summary>Called when so much is in quarantine that a flush should be made.</summary>
    internal Action? QuarantineOverfull { get; set; }

    /// <summary>Bytes that are free once a flush has ended.</summary>
    internal long QuarantinedBytes
    {
        get
        {
            long bytes = Pool.QuarantinedPages * SizeClasses.PageBytes;
            foreach (Heap heap in _heaps)
                bytes += heap.QuarantinedBytes;
            return bytes;
        }
    }

    /// <summary>Whether a block must keep its bytes until the next flush, freed or not. It is the caller's alone, and in use.</summary>
    internal bool IsFrozen(ulong address, PageInfo info)
    {
        if (!_notesChanges)
            return false;
        PageMeta* page = _map.MetaOf(address);
        return info.ClassPlusOne == 0 ? page->IsRunFrozen : page->IsFrozen((int)info.SlotAt(address));
    }

    /// <summary>Notes a block whose room a lease keeps, and whose end is to be flushed all the same.</summary>
    internal void NoteDeferred(ulong address) => _heaps[ThreadPresence.Mine.Heap & (_heaps.Length - 1)].NoteDeferred(address);

    /// <summary>Takes what was put into quarantine. No change runs.</summary>
    internal void TakeQuarantine(List<ulong> addresses)
    {
        Pool.TakeQuarantine(addresses);
        foreach (Heap heap in _heaps)
            heap.TakeQuarantine(addresses);
    }

    /// <summary>Freezes what is in the pages of some addresses. No change runs.</summary>
    internal void Freeze(ReadOnlySpan<ulong> addresses)
    {
        PageMeta* last = null;
        foreach (ulong address in addresses)
        {
            if (_map.Find(address, out _) == null || _map.MetaOf(address) == last)
                continue;
            last = _map.MetaOf(address);
            Freeze(last);
        }
    }

    /// <summary>Freezes everything. No change runs.</summary>
    internal void FreezeAll()
    {
        foreach (Segment segment in Pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page++)
                Freeze(segment.Metas + page);
        }
    }

    /// <summary>Frees what is in quarantine and durably gone.</summary>
    internal void Release(ReadOnlySpan<ulong> addresses)
    {
        foreach (ulong address in addresses)
        {
            if ((address & DeferredBit) != 0)
                Release(address & ~DeferredBit, isDeferred: true); // first: a lease may have ended since, and put the same block into the list
        }
        foreach (ulong address in addresses)
        {
            if ((address & DeferredBit) == 0)
                Release(address, isDeferred: false);
        }
    }

    private void Release(ulong address, bool isDeferred)
    {
        _ = _map.Find(address, out PageInfo* info);
        if (SegmentMap.Load(info).ClassPlusOne == 0)
            ReleaseRun(address, isDeferred);
        else
            ReleaseSlot(address, (int)SegmentMap.Load(info).SlotAt(address), isDeferred);
    }

    private void ReleaseRun(ulong address, bool isDeferred)
    {
        PageMeta* page = _map.MetaOf(address);
        if (isDeferred)
            Pool.SettleRun(page);
        else
            Pool.ReleaseRun(page);
    }

    private void ReleaseSlot(ulong address, int slot, bool isDeferred)
    {
        PageMeta* page = _map.MetaOf(address);
        PageMeta* emptied;
        while (!_heaps[Volatile.Read(ref page->Owner)].TryRelease(page, slot, isDeferred, out emptied))
        {
        }
        if (emptied != null)
            Pool.ReturnPage(emptied);
    }

    // A page that nobody owns, or that nobody has examined yet, holds nothing, or what it was found with: that is frozen.
    private void Freeze(PageMeta* page)
    {
        int owner;
        while ((owner = Volatile.Read(ref page->Owner)) != PageMeta.NoOwner && !_heaps[owner].TryFreeze(page))
        {
        }
        if (owner == PageMeta.NoOwner)
            Pool.FreezeRun(page);
    }

    // A few kilobytes are not worth a flush; and nobody counts exactly what others free at this instant.
    private void CheckQuarantine()
    {
        if (Interlocked.Increment(ref _frees) % LooksPerCheck == 0 && QuarantinedBytes > Math.Max(Pool.ReservedBytes / ReservedShare, _map.SegmentBytes))
            QuarantineOverfull?.Invoke();
    }
}
