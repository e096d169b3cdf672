using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Allocation;

/// <summary>Allocates when the heap of the calling thread has no free slot.</summary>
/// <remarks>
/// It tries in this order: a free page of the pool; a page with free slots from another heap; in a fragmented pile, a larger slot; a page
/// of a new segment; a slot in another heap's current page; for a block that may be evicted, a slot among those that stay; the empty pages
/// that heaps keep for other kinds.
/// It fails only if there was an instant at which no memory was free, or after <see cref="MostSearches"/> attempts.
/// </remarks>
internal sealed unsafe class AllocatorSlowPath(Heap[] heaps, PagePool pool, EventCount transferEvents)
{
    private const int MostWaste = 2;
    private const int MostSearches = 32; // bounds the retries when other threads always win

    /// <summary>Takes a slot.</summary>
    /// <param name="kind">Its kind; in a fragmented pile the slot may be of a larger size class.</param>
    /// <param name="payloadBytes">The bytes of payload, for the statistics.</param>
    /// <param name="critical">The calling thread.</param>
    /// <param name="events">What <see cref="EventCount.Read"/> returned before the last search.</param>
    /// <returns>None when no memory is free.</returns>
    internal Slot TakeSlot(int kind, long payloadBytes, CriticalRegion critical, out int events)
    {
        for (int searches = 1; ; searches++)
        {
            events = transferEvents.Read();
            Slot slot = TakeFromNewPage(kind, payloadBytes, critical);
            if (slot.IsNone)
                slot = TakeFromAny(kind, payloadBytes, critical);
            if (slot.IsNone && MayMix(kind))
                slot = TakeFromOtherKind(kind, payloadBytes, critical);
            // A search is not atomic: other threads take and free behind it. Before it fails, HasSpace checks with all heap locks held,
            // and the event count tells whether a transfer ended meanwhile. For one still under way the caller waits (Reclaimer).
            if (!slot.IsNone || searches == MostSearches || !(HasSpace(kind) || transferEvents.HasAdvanced(events)))
            {
                pool.Separation.CountMixedTake();
                return slot;
            }
        }
    }

    /// <summary>Takes consecutive pages.</summary>
    /// <param name="pages">How many.</param>
    /// <param name="payloadBytes">The bytes of payload, for the statistics.</param>
    /// <param name="isEvictable">Whether the block may be evicted when the pile is full.</param>
    /// <param name="events">What <see cref="EventCount.Read"/> returned before the last search.</param>
    /// <returns>The metadata of the first page; <see langword="null"/> when there are none.</returns>
    internal PageMeta* TakeRun(int pages, long payloadBytes, bool isEvictable, out int events)
    {
        for (int searches = 1; ; searches++)
        {
            events = transferEvents.Read();
            PageMeta* first = pool.TakeRun(pages, payloadBytes, isEvictable, mayGrow: true);
            if (first == null)
                first = TakeRunOfAll(pages, payloadBytes, isEvictable);
            if (first != null || searches == MostSearches || !transferEvents.HasAdvanced(events))
                return first;
        }
    }

    /// <summary>Takes the locks of all heaps, in the order of their numbers.</summary>
    internal void EnterHeaps()
    {
        foreach (Heap heap in heaps)
            heap.EnterLock();
    }

    /// <summary>Releases the locks of all heaps.</summary>
    internal void ExitHeaps()
    {
        foreach (Heap heap in heaps)
            heap.ExitLock();
    }

    // Also returns none when other threads have taken all slots of the new page.
    private Slot TakeFromNewPage(int kind, long payloadBytes, CriticalRegion critical)
    {
        int own = critical.Shard & (heaps.Length - 1);
        PageMeta* page = pool.TakePage(kind, own, mayGrow: false);
        if (page == null)
            page = TakeFromOthers(kind, own);
        if (page == null)
        {
            Slot larger = TakeLarger(kind, payloadBytes, critical);
            if (!larger.IsNone)
                return larger;
            page = pool.TakePage(kind, own, mayGrow: true);
        }
        if (page == null)
            return default;
        page->IsInTransit = true;
        page = heaps[own].Attach(page);
        if (page != null)
            pool.ReturnPage(page);
        transferEvents.End();
        return heaps[own].TryTake(kind, payloadBytes, critical);
    }

    private PageMeta* TakeFromOthers(int kind, int own)
    {
        for (int i = 1; i < heaps.Length; i++)
        {
            PageMeta* page = heaps[(own + i) & (heaps.Length - 1)].Detach(kind, own);
            if (page != null)
                return page;
        }
        return null;
    }

    // In a fragmented pile a free slot of up to twice the size is better than a larger pile. IsFragmented is read without the lock: a stale
    // answer costs one search, or one segment.
    private Slot TakeLarger(int kind, long payloadBytes, CriticalRegion critical)
    {
        int largestBytes = PageKind.SlotBytes(kind) * MostWaste;
        int end = PageKind.Of(SizeClasses.Count, PageKind.IsEvictable(kind));
        for (int i = 0; i < heaps.Length; i++)
        {
            Heap heap = heaps[(critical.Shard + i) & (heaps.Length - 1)];
            if (!heap.IsFragmented)
                continue;
            for (int larger = kind + 1; larger < end && PageKind.SlotBytes(larger) <= largestBytes; larger++)
            {
                Slot slot = heap.TryTake(larger, payloadBytes, critical);
                if (!slot.IsNone)
                    return slot;
            }
        }
        return default;
    }

    private Slot TakeFromAny(int kind, long payloadBytes, CriticalRegion critical)
    {
        foreach (Heap heap in heaps)
        {
            Slot slot = heap.TryTake(kind, payloadBytes, critical);
            if (!slot.IsNone)
                return slot;
        }
        return default;
    }

    private Slot TakeFromOtherKind(int kind, long payloadBytes, CriticalRegion critical)
    {
        Slot slot = TakeFromAny(PageKind.OtherOf(kind), payloadBytes, critical);
        if (!slot.IsNone && PageKind.IsEvictable(kind))
            pool.MarkGuest(slot.Address);
        return slot;
    }

    private bool MayMix(int kind) => PageKind.IsEvictable(kind) || !pool.Separation.IsOn;

    private bool HasSpace(int kind)
    {
        EnterHeaps();
        try
        {
            foreach (Heap heap in heaps)
            {
                if (heap.HasSlotLocked(kind) || (MayMix(kind) && heap.HasSlotLocked(PageKind.OtherOf(kind))))
                    return true;
            }
            GiveUpEmptyPagesLocked();
            return pool.HasFreePage(PageKind.IsEvictable(kind));
        }
        finally
        {
            ExitHeaps();
        }
    }

    private PageMeta* TakeRunOfAll(int pages, long payloadBytes, bool isEvictable)
    {
        EnterHeaps();
        try
        {
            GiveUpEmptyPagesLocked();
            return pool.TakeRun(pages, payloadBytes, isEvictable, mayGrow: false);
        }
        finally
        {
            ExitHeaps();
        }
    }

    private void GiveUpEmptyPagesLocked()
    {
        foreach (Heap heap in heaps)
        {
            for (int kind = 0; kind < PageKind.End; kind++)
            {
                PageMeta* page = heap.GiveUpEmptyLocked(kind);
                if (page == null)
                    continue;
                pool.ReturnPage(page);
                transferEvents.End();
            }
        }
    }
}
