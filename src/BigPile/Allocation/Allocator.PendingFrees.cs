using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Flushed blocks are copy-on-write: their memory is reused only when a flush has made their deletion durable.</summary>
/// <remarks>
/// A block is flushed if it existed at the last snapshot, whether the flush that took it succeeded or not. Every block that was found
/// in a file is flushed. A block that was put since then is not: its slot is free for reuse at once.
/// </remarks>
internal sealed unsafe partial class Allocator
{
    /// <summary>The number of the snapshot that counts as taken when a pile is opened.</summary>
    internal const int FirstSnapshot = 1;

    private const int ReservedShare = 4;

    /// <summary>The number of the last snapshot; constant within a writer's critical region, and 0 in piles without flushes.</summary>
    internal int LastSnapshot => _snapshot;

    /// <summary>Called when the pending frees have grown so much that a flush is due.</summary>
    internal Action? FlushWanted { get; set; }

    /// <summary>Bytes of freed blocks that become free when a flush has ended.</summary>
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

    /// <summary>Whether a block's bytes must not change before the next flush, whether it is freed or not.</summary>
    /// <remarks>
    /// The caller is in a critical region. If other threads may free the block, the answer is valid only if the block is live afterwards.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsFlushed(ulong address, PageInfo info)
    {
        if (!_tracksFlushed)
            return false;
        PageMeta* page = _map.MetaOf(address);
        return info.ClassPlusOne == 0 ? page->IsFlushedRun(_snapshot) : page->IsFlushed((int)info.SlotAt(address), _snapshot);
    }

    /// <summary>Adds a freed block whose memory a lease holds; the next flush makes its deletion durable all the same.</summary>
    internal void AddDeferred(ulong address) => _heaps[PileRegions.Current.Shard & (_heaps.Length - 1)].AddDeferred(address);

    /// <summary>
    /// Begins a snapshot: the pages that changed before it, and what was freed in them, go to <paramref name="taken"/>. No writer may run;
    /// page recovery may run.
    /// </summary>
    internal void BeginSnapshot(PendingFrees taken)
    {
        _snapshot++;
        Pool.BeginSnapshot(_snapshot, taken);
        foreach (Heap heap in _heaps)
            heap.BeginSnapshot(_snapshot, taken);
    }

    /// <summary>Takes what changed in a page before the last snapshot.</summary>
    /// <returns><see langword="false"/> when its segment was trimmed since: then nothing is in it.</returns>
    internal bool TryTakeChanges(ulong address, PageChanges changes)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the segment mapped.");
        if (_map.Find(address, out _) == null)
            return false;
        PageMeta* page = _map.MetaOf(address);
        Segment segment = Pool.SegmentOf(page);
        int owner;
        do
        {
            owner = Volatile.Read(ref page->Owner);
        }
        while (!(owner == PageMeta.NoOwner
            ? Pool.TryTakeChanges(segment, page, _snapshot, changes)
            : _heaps[owner].TryTakeChanges(segment, page, _snapshot, changes)));
        return true;
    }

    /// <summary>Frees blocks whose deletion a flush has made durable.</summary>
    internal void ReleasePendingFrees(PendingFrees pending)
    {
        foreach (ulong address in pending.Leased)
            CompleteDeferred(address); // first: the lease may have ended since, and its block be among the pages below as well
        foreach (ulong address in pending.Runs)
            Pool.ReleaseRun(_map.MetaOf(address));
        Span<ulong> exhausted = stackalloc ulong[PageMeta.MostBitWords];
        for (int index = 0; index < pending.PageCount; index++)
        {
            PageMeta* page = pending.PageAt(index, out ReadOnlySpan<ulong> slots);
            StoreFreeHeaders(page, slots, exhausted);
            ReleaseSlots(page, slots, exhausted[..slots.Length]);
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

    // No other thread touches a slot that is pending, so its header is stored without a lock. The lock is taken once, to free them all.
    private static void StoreFreeHeaders(PageMeta* page, ReadOnlySpan<ulong> slots, Span<ulong> exhausted)
    {
        for (int word = 0; word < slots.Length; word++)
        {
            exhausted[word] = 0;
            for (ulong bits = slots[word]; bits != 0; bits &= bits - 1)
            {
                int bit = BitOperations.TrailingZeroCount(bits);
                if (PagePool.StorePlainFree(page->BlockAt(word * 64 + bit)) == PilePointer.MaxGeneration)
                    exhausted[word] |= 1UL << bit;
            }
        }
    }

    private void ReleaseSlots(PageMeta* page, ReadOnlySpan<ulong> slots, ReadOnlySpan<ulong> exhausted)
    {
        PageMeta* emptied;
        while (!_heaps[Volatile.Read(ref page->Owner)].TryRelease(page, slots, exhausted, out emptied))
        {
        }
        if (emptied != null)
            ReturnPage(emptied);
    }

    private void RequestFlushIfNeeded(Heap heap)
    {
        heap.WantsFlushCheck = false;
        RequestFlushIfNeeded();
    }

    // The sum may be stale, as other threads free concurrently: a flush too many or too late does no harm.
    private void RequestFlushIfNeeded()
    {
        if (PendingFreeBytes > Math.Max(Pool.ReservedBytes / ReservedShare, _map.SegmentBytes))
            FlushWanted?.Invoke();
    }
}
