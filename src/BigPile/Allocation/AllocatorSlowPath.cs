using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Finds room where the heap of the calling thread has none.</summary>
/// <remarks>
/// In order: a page of the pool that exists; a page that another heap has to spare; in a fragmented pile, a larger slot; a page of a new
/// segment; a slot of a page that a heap keeps to itself; what heaps keep for other classes. A search goes from place to place, and others
/// take and free behind it: what it has seen full may be free when it sees the next place full. So it ends without room only once there was
/// an instant without any: all heaps and the pool are looked at with all their locks held, and what was on its way meanwhile is told by
/// <see cref="ReclaimEvents"/>; or once others were faster as often as <see cref="MostSearches"/> says.
/// </remarks>
internal sealed unsafe class AllocatorSlowPath(Heap[] heaps, PagePool pool, ReclaimEvents reclaimEvents)
{
    private const int MostWaste = 2;
    private const int MostSearches = 32; // others may be faster, again and again

    /// <summary>Takes a slot.</summary>
    /// <param name="sizeClass">Its class; in a fragmented pile it may be of a larger one.</param>
    /// <param name="payloadBytes">The bytes of payload, for the statistics.</param>
    /// <param name="critical">The calling thread.</param>
    /// <param name="events">What <see cref="ReclaimEvents.Read"/> gave before the last search.</param>
    /// <returns>None when there is no room.</returns>
    internal Slot TakeSlot(int sizeClass, long payloadBytes, CriticalRegion critical, out int events)
    {
        for (int searches = 1; ; searches++)
        {
            events = reclaimEvents.Read();
            Slot slot = TakeFromNewPage(sizeClass, payloadBytes, critical);
            if (slot.IsNone)
                slot = TakeFromAny(sizeClass, payloadBytes, critical);
            if (!slot.IsNone || searches == MostSearches || !(HasSpace(sizeClass) || reclaimEvents.HasAdvanced(events)))
                return slot;
        }
    }

    /// <summary>Takes pages in a row.</summary>
    /// <param name="pages">How many.</param>
    /// <param name="payloadBytes">The bytes of payload, for the statistics.</param>
    /// <param name="events">What <see cref="ReclaimEvents.Read"/> gave before the last search.</param>
    /// <returns>The record of the first; <see langword="null"/> when there is no room.</returns>
    internal PageMeta* TakeRun(int pages, long payloadBytes, out int events)
    {
        for (int searches = 1; ; searches++)
        {
            events = reclaimEvents.Read();
            PageMeta* first = pool.TakeRun(pages, payloadBytes, mayGrow: true);
            if (first == null)
                first = TakeRunOfAll(pages, payloadBytes);
            if (first != null || searches == MostSearches || !reclaimEvents.HasAdvanced(events))
                return first;
        }
    }

    /// <summary>Holds all heaps still.</summary>
    internal void EnterHeaps()
    {
        foreach (Heap heap in heaps)
            heap.EnterLock();
    }

    /// <summary>Ends it.</summary>
    internal void ExitHeaps()
    {
        foreach (Heap heap in heaps)
            heap.ExitLock();
    }

    // None as well where others were faster, and took all that the page had.
    private Slot TakeFromNewPage(int sizeClass, long payloadBytes, CriticalRegion critical)
    {
        int own = critical.Heap & (heaps.Length - 1);
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
        reclaimEvents.End();
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

    // In a fragmented pile a free slot of up to twice the size is better than a larger pile. The heaps are asked without their locks: an
    // answer that is out of date costs one search, or one segment.
    private Slot TakeLarger(int sizeClass, long payloadBytes, CriticalRegion critical)
    {
        int largestBytes = SizeClasses.SlotBytes(sizeClass) * MostWaste;
        for (int i = 0; i < heaps.Length; i++)
        {
            Heap heap = heaps[(critical.Heap + i) & (heaps.Length - 1)];
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
                reclaimEvents.End();
            }
        }
    }
}
