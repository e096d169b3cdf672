using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>What was flushed is frozen: its room is not used again before a flush has made durable that it was freed.</summary>
/// <remarks>
/// A block is frozen if it was there when a flush last looked, whether that flush came to its end or not, and all that was found in a
/// file is. One that was put since is not: it is freed and its slot used again at once.
/// </remarks>
internal sealed unsafe partial class Allocator
{
    private const int ReservedShare = 4;

    /// <summary>Called when so much is in quarantine that a flush should be made.</summary>
    internal Action? FlushWanted { get; set; }

    /// <summary>Bytes that are free once a flush has ended.</summary>
    internal long PendingFreeBytes
    {
        get
        {
            long bytes = Pool.PendingFreePages * SizeClasses.PageBytes;
            foreach (Heap heap in _heaps)
                bytes += heap.PendingFreeBytes;
            return bytes;
        }
    }

    /// <summary>Whether a block must keep its bytes until the next flush, freed or not.</summary>
    /// <remarks>
    /// The caller is inside the pile. Where the block is not his alone, the answer is valid only if the block is still live afterwards.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsFlushed(ulong address, PageInfo info)
    {
        if (!_tracksFlushed)
            return false;
        PageMeta* page = _map.MetaOf(address);
        return info.ClassPlusOne == 0 ? page->IsRunFlushed : page->IsFlushed((int)info.SlotAt(address));
    }

    /// <summary>Notes a block whose room a lease keeps, and whose end is to be flushed all the same.</summary>
    internal void AddDeferred(ulong address) => _heaps[CriticalRegion.Current.Heap & (_heaps.Length - 1)].AddDeferred(address);

    /// <summary>Takes what was put into quarantine. No change runs.</summary>
    internal void TakePendingFrees(PendingFrees pending)
    {
        Pool.TakePendingFrees(pending);
        foreach (Heap heap in _heaps)
            heap.TakePendingFrees(pending);
    }

    /// <summary>Freezes what is in the pages of some addresses. No change runs.</summary>
    internal void MarkFlushed(ReadOnlySpan<ulong> addresses)
    {
        PageMeta* last = null;
        foreach (ulong address in addresses)
        {
            if (_map.Find(address, out _) == null || _map.MetaOf(address) == last)
                continue;
            last = _map.MetaOf(address);
            MarkFlushed(last);
        }
    }

    /// <summary>Freezes everything. No change runs.</summary>
    internal void MarkAllFlushed()
    {
        foreach (Segment segment in Pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page++)
                MarkFlushed(segment.Metas + page);
        }
    }

    /// <summary>Frees what is in quarantine and durably gone.</summary>
    internal void CompletePendingFrees(PendingFrees pending)
    {
        foreach (ulong address in pending.Deferred)
            CompleteDeferred(address); // first: a lease may have ended since, and put the same block into quarantine
        foreach (ulong address in pending.Runs)
            Pool.ReleaseRun(_map.MetaOf(address));
        Span<ulong> retired = stackalloc ulong[PageMeta.MostBitWords];
        for (int index = 0; index < pending.PageCount; index++)
        {
            PageMeta* page = pending.PageAt(index, out ReadOnlySpan<ulong> slots);
            StoreFreeHeaders(page, slots, retired);
            ReleaseSlots(page, slots, retired[..slots.Length]);
        }
    }

    private void CompleteDeferred(ulong address)
    {
        PageMeta* page = _map.MetaOf(address);
        _ = _map.Find(address, out PageInfo* infoAt);
        PageInfo info = SegmentMap.Load(infoAt);
        if (info.ClassPlusOne == 0)
        {
            Pool.ClearRunFlushed(page);
            return;
        }
        var slot = (int)info.SlotAt(address);
        _ = PagePool.StorePlainFree(page->BlockAt(slot));
        while (!_heaps[Volatile.Read(ref page->Owner)].TryClearFlushed(page, slot))
        {
        }
    }

    // Nobody else may touch a slot in quarantine, so it takes no lock until they are given back all at once.
    private static void StoreFreeHeaders(PageMeta* page, ReadOnlySpan<ulong> slots, Span<ulong> retired)
    {
        for (int word = 0; word < slots.Length; word++)
        {
            retired[word] = 0;
            for (ulong bits = slots[word]; bits != 0; bits &= bits - 1)
            {
                int bit = BitOperations.TrailingZeroCount(bits);
                if (PagePool.StorePlainFree(page->BlockAt(word * 64 + bit)) == PilePointer.MaxGeneration)
                    retired[word] |= 1UL << bit;
            }
        }
    }

    private void ReleaseSlots(PageMeta* page, ReadOnlySpan<ulong> slots, ReadOnlySpan<ulong> retired)
    {
        PageMeta* emptied;
        while (!_heaps[Volatile.Read(ref page->Owner)].TryRelease(page, slots, retired, out emptied))
        {
        }
        if (emptied != null)
            ReturnPage(emptied);
    }

    // A page that nobody owns, or that nobody has examined yet, holds nothing, or what it was found with: that is frozen.
    private void MarkFlushed(PageMeta* page)
    {
        int owner;
        while ((owner = Volatile.Read(ref page->Owner)) != PageMeta.NoOwner && !_heaps[owner].TryMarkFlushed(page))
        {
        }
        if (owner == PageMeta.NoOwner)
            Pool.MarkRunFlushed(page);
    }

    private void RequestFlushIfNeeded(Heap heap)
    {
        heap.WantsFlushCheck = false;
        RequestFlushIfNeeded();
    }

    // Nobody counts exactly what others free at this instant.
    private void RequestFlushIfNeeded()
    {
        if (PendingFreeBytes > Math.Max(Pool.ReservedBytes / ReservedShare, _map.SegmentBytes))
            FlushWanted?.Invoke();
    }
}
