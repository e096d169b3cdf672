using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Allocation;

/// <summary>Allocates when the heap of the calling thread has no free slot.</summary>
/// <remarks>
/// It tries in this order: a free page of the pool; a page with free slots from another heap; in a fragmented pile, a larger slot; a page
/// of a new segment; a slot in another heap's current page; the empty pages that heaps keep for other size classes.
/// It fails only if there was an instant at which no memory was free, or after <see cref="MostSearches"/> attempts.
/// </remarks>
internal sealed unsafe class AllocatorSlowPath(Heap[] heaps, PagePool pool, EventCount transferEvents)
{
    private const int MostWaste = 2;
    private const int MostSearches = 32; // bounds the retries when other threads always win

    /// <summary>Takes a slot.</summary>
    /// <param name="sizeClass">Its size class; in a fragmented pile the slot may be of a larger one.</param>
    /// <param name="payloadBytes">The bytes of payload, for the statistics.</param>
    /// <param name="critical">The calling thread.</param>
    /// <param name="events">What <see cref="EventCount.Read"/> returned before the last search.</param>
    /// <returns>None when no memory is free.</returns>
    internal Slot TakeSlot(int sizeClass, long payloadBytes, CriticalRegion critical, out int events)
    {
        for (int searches = 1; ; searches++)
        {
            events = transferEvents.Read();
            Slot slot = TakeFromNewPage(sizeClass, payloadBytes, critical);
            if (slot.IsNone)
                slot = TakeFromAny(sizeClass, payloadBytes, critical);
            // A search is not atomic: other threads take and free behind it. Before it fails, HasSpace checks with all heap locks held,
            // and the event count tells whether a transfer ended meanwhile. For one still under way the caller waits (Reclaimer).
            if (!slot.IsNone || searches == MostSearches || !(HasSpace(sizeClass) || transferEvents.HasAdvanced(events)))
                return slot;
        }
    }

    /// <summary>Takes consecutive pages.</summary>
    /// <param name="pages">How many.</param>
    /// <param name="payloadBytes">The bytes of payload, for the statistics.</param>
    /// <param name="events">What <see cref="EventCount.Read"/> returned before the last search.</param>
    /// <returns>The metadata of the first page; <see langword="null"/> when there are none.</returns>
    internal PageMeta* TakeRun(int pages, long payloadBytes, out int events)
    {
        for (int searches = 1; ; searches++)
        {
            events = transferEvents.Read();
            PageMeta* first = pool.TakeRun(pages, payloadBytes, mayGrow: true);
            if (first == null)
                first = TakeRunOfAll(pages, payloadBytes);
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
    private Slot TakeFromNewPage(int sizeClass, long payloadBytes, CriticalRegion critical)
    {
        int own = critical.Shard & (heaps.Length - 1);
        PageMeta* page = pool.TakePage(sizeClass, own, mayGrow: false);
        if (page == null)
            page = TakeFromOthers(sizeClass, own);
        if (page == null)
        {
            Slot larger = TakeLarger(sizeClass, payloadBytes, critical);
            if (!larger.IsNone)
                return larger;
            page = pool.TakePage(sizeClass, own, mayGrow: true);
        }
        if (page == null)
            return default;
        page->IsInTransit = true;
        page = heaps[own].Attach(page);
        if (page != null)
            pool.ReturnPage(page);
        transferEvents.End();
        return heaps[own].TryTake(sizeClass, payloadBytes, critical);
    }

    private PageMeta* TakeFromOthers(int sizeClass, int own)
    {
        for (int i = 1; i < heaps.Length; i++)
        {
            PageMeta* page = heaps[(own + i) & (heaps.Length - 1)].Detach(sizeClass, own);
            if (page != null)
                return page;
        }
        return null;
    }

    // In a fragmented pile a free slot of up to twice the size is better than a larger pile. IsFragmented is read without the lock: a stale
    // answer costs one search, or one segment.
    private Slot TakeLarger(int sizeClass, long payloadBytes, CriticalRegion critical)
    {
        int largestBytes = SizeClasses.SlotBytes(sizeClass) * MostWaste;
        for (int i = 0; i < heaps.Length; i++)
        {
            Heap heap = heaps[(critical.Shard + i) & (heaps.Length - 1)];
            if (!heap.IsFragmented)
                continue;
            for (int larger = sizeClass + 1; larger < SizeClasses.Count && SizeClasses.SlotBytes(larger) <= largestBytes; larger++)
            {
                Slot slot = heap.TryTake(larger, payloadBytes, critical);
                if (!slot.IsNone)
                    return slot;
            }
        }
        return default;
    }

    private Slot TakeFromAny(int sizeClass, long payloadBytes, CriticalRegion critical)
    {
        foreach (Heap heap in heaps)
        {
            Slot slot = heap.TryTake(sizeClass, payloadBytes, critical);
            if (!slot.IsNone)
                return slot;
        }
        return default;
    }

    private bool HasSpace(int sizeClass)
    {
        EnterHeaps();
        try
        {
            foreach (Heap heap in heaps)
            {
                if (heap.HasSlotLocked(sizeClass))
                    return true;
            }
            GiveUpEmptyPagesLocked();
            return pool.HasFreePage();
        }
        finally
        {
            ExitHeaps();
        }
    }

    private PageMeta* TakeRunOfAll(int pages, long payloadBytes)
    {
        EnterHeaps();
        try
        {
            GiveUpEmptyPagesLocked();
            return pool.TakeRun(pages, payloadBytes, mayGrow: false);
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
            for (int sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
            {
                PageMeta* page = heap.GiveUpEmptyLocked(sizeClass);
                if (page == null)
                    continue;
                pool.ReturnPage(page);
                transferEvents.End();
            }
        }
    }
}
