using System.Diagnostics;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>How pages come to a heap, and leave it.</summary>
internal sealed unsafe partial class Heap
{
    /// <summary>Adds a page from the pool or from another heap.</summary>
    /// <returns>
    /// The page, if all its slots are free and the current page has a free slot by now: the caller returns it to the pool. Until then it
    /// is in transit, owned by this heap, and its transfer is under way.
    /// </returns>
    internal PageMeta* Attach(PageMeta* page)
    {
        _lock.Enter();
        PageMeta* current = _classes[page->Kind].Current;
        bool isNeeded = !page->IsAllFree || current == null || current->FreeCount == 0;
        if (isNeeded)
            AttachLocked(page);
        _lock.Exit();
        return isNeeded ? null : page;
    }

    /// <summary>
    /// Removes a page with free slots, for another heap; null when none is listed. This begins a transfer, which the caller ends once that
    /// heap has the page.
    /// </summary>
    internal PageMeta* Detach(int kind, int newOwner)
    {
        _lock.Enter();
        PageMeta* page = _classes[kind].Listed;
        if (page != null)
        {
            Debug.Assert(page->Owner == _index && newOwner != _index, "The page is not this heap's to give.");
            BeginTransitLocked(page);
            page->Owner = newOwner;
        }
        _lock.Exit();
        return page;
    }

    /// <summary>Takes a page out of use while it is emptied. A transfer lasts from here until <see cref="EndIsolation"/>.</summary>
    /// <returns><see langword="false"/> when it is on its way to another owner, or of another heap by now.</returns>
    internal bool TryIsolate(PageMeta* page)
    {
        _lock.Enter();
        bool isIsolated = page->Owner == _index && !page->IsInTransit;
        if (isIsolated)
            BeginTransitLocked(page);
        _lock.Exit();
        return isIsolated;
    }

    /// <summary>Uses an isolated page again, unless it is empty.</summary>
    /// <returns>Whether it is empty: the caller returns it to the pool, and then ends the transfer.</returns>
    internal bool EndIsolation(PageMeta* page)
    {
        _lock.Enter();
        Debug.Assert(page->IsInTransit && page->Owner == _index && !page->IsListed, "The page is not isolated.");
        bool isEmpty = page->IsAllFree;
        if (isEmpty)
            (page->IsInTransit, page->Owner) = (false, PageMeta.NoOwner);
        else
            AttachLocked(page);
        _lock.Exit();
        return isEmpty;
    }

    /// <summary>
    /// Removes the current page of a kind if all its slots are free. This begins a transfer: the caller, who holds the lock, returns the
    /// page to the pool, and ends it.
    /// </summary>
    internal PageMeta* GiveUpEmptyLocked(int kind)
    {
        AssertLocked();
        PageMeta* page = _classes[kind].Current;
        return page == null || !page->IsAllFree ? null : GiveUpLocked(page);
    }

    /// <summary>Whether a page of the kind has a free slot. The caller holds the lock.</summary>
    internal bool HasSlotLocked(int kind)
    {
        AssertLocked();
        return _classes[kind].HasSlot;
    }

    /// <summary>Bytes of free slots in other pages than the current ones, of which there are as many as kinds of blocks.</summary>
    internal long IdleSlotBytes()
    {
        _lock.Enter();
        long idle = FreeSlotBytes;
        for (int kind = 0; kind < PageKind.End; kind++)
            idle -= _classes[kind].CurrentFreeBytes;
        _lock.Exit();
        return idle;
    }

    /// <summary>Adds a page that was recovered from a file, with its live blocks.</summary>
    internal void AttachFound(PageMeta* page, long blocks, long payloadBytes, PagePool pool)
    {
        _lock.Enter();
        if (page->PendingFreeCount != 0)
            _changed.Add(page); // a flush completes them
        LiveBlocks += blocks;
        PayloadBytes += payloadBytes;
        LiveSlotBytes += blocks * page->SlotBytes;
        AttachLocked(page);
        pool.CountRecovered(page); // inside this lock: statistics must count the page exactly once
        _lock.Exit();
    }

    private PageMeta* NextPageLocked(int kind)
    {
        HeapClass* heapClass = _classes + kind;
        PageMeta* page = heapClass->Listed;
        if (page != null)
            heapClass->Unlist(page);
        heapClass->Current = page; // the previous page is full; it is listed again when one of its slots is freed
        return page;
    }

    private void AttachLocked(PageMeta* page)
    {
        Debug.Assert(!page->IsListed && page->SlotCount != 0, "The page is another heap's, or not laid out.");
        page->IsInTransit = false;
        page->Owner = _index;
        CountLocked(page, +1);
        HeapClass* heapClass = _classes + page->Kind;
        if (heapClass->Current == null || heapClass->Current->FreeCount == 0)
            heapClass->Current = page; // a full one is listed when one of its slots is freed
        else if (page->FreeCount != 0)
            heapClass->List(page);
    }

    private void BeginTransitLocked(PageMeta* page)
    {
        _transferEvents.Begin();
        _classes[page->Kind].Remove(page);
        CountLocked(page, -1);
        page->IsInTransit = true;
    }

    private void CountLocked(PageMeta* page, int sign)
    {
        AssertLocked();
        int rest = SizeClasses.PageBytes - page->SlotCount * page->SlotBytes;
        PageBytes += sign * SizeClasses.PageBytes;
        UnusableBytes += sign * (rest + page->ExhaustedCount * page->SlotBytes);
        _pendingFreeBytes += sign * page->PendingFreeCount * page->SlotBytes;
        Debug.Assert(PageBytes >= 0 && UnusableBytes >= 0, "More pages went than came.");
    }

    private void ListIfFreeLocked(PageMeta* page)
    {
        if (page->FreeCount != 0 && !page->IsListed && !page->IsInTransit && page != _classes[page->Kind].Current)
            _classes[page->Kind].List(page);
    }

    private bool IsToGiveUpLocked(PageMeta* page) =>
        page->IsAllFree && !page->IsInTransit && page != _classes[page->Kind].Current;

    // Begins a transfer: until the pool has the page, no search finds it.
    private PageMeta* GiveUpLocked(PageMeta* page)
    {
        AssertLocked();
        _transferEvents.Begin();
        Debug.Assert(page->IsAllFree && page->PendingFreeCount == 0 && page->Owner == _index, "The page holds something.");
        _classes[page->Kind].Remove(page);
        page->Owner = PageMeta.NoOwner;
        CountLocked(page, -1);
        return page;
    }
}
