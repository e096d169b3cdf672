using System.Diagnostics;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Pages that come to a heap, and leave it.</summary>
internal sealed unsafe partial class Heap
{
    /// <summary>Makes a page from the pool or from another heap this heap's own.</summary>
    /// <returns>The page, when it is empty and not needed any more: the caller has to return it to the pool.</returns>
    internal PageMeta* Attach(PageMeta* page)
    {
        _lock.Enter();
        PageMeta* current = _classes[page->SizeClass].Current;
        bool isNeeded = !page->IsEmpty || current == null || current->FreeCount == 0;
        if (isNeeded)
            AttachLocked(page);
        _lock.Exit();
        return isNeeded ? null : page;
    }

    /// <summary>
    /// Takes a page with free slots away from this heap, for another one; null when there is none to spare. The caller states the end of
    /// giving it back once it is there.
    /// </summary>
    internal PageMeta* Detach(int sizeClass, int newOwner)
    {
        _lock.Enter();
        PageMeta* page = _classes[sizeClass].Listed;
        if (page != null)
        {
            Debug.Assert(page->Owner == _index && newOwner != _index, "The page is not this heap's to give.");
            _reclaimEvents.Begin();
            _classes[sizeClass].Unlist(page);
            page->IsInTransit = true;
            page->Owner = newOwner;
            CountLocked(page, -1);
        }
        _lock.Exit();
        return page;
    }

    /// <summary>Gives up an empty page that was kept; the caller returns it to the pool, and states the end of giving it back.</summary>
    internal PageMeta* GiveUpEmpty(int sizeClass)
    {
        _lock.Enter();
        PageMeta* page = GiveUpEmptyLocked(sizeClass);
        _lock.Exit();
        return page;
    }

    /// <summary>As <see cref="GiveUpEmpty"/>, of a caller that has the lock.</summary>
    internal PageMeta* GiveUpEmptyLocked(int sizeClass)
    {
        AssertLocked();
        PageMeta* page = _classes[sizeClass].Current;
        if (page == null || !page->IsEmpty)
            return null;
        _classes[sizeClass].Current = null;
        return GiveUpLocked(page);
    }

    /// <summary>Whether a page of a class has a free slot. The caller has the lock.</summary>
    internal bool HasSlotLocked(int sizeClass)
    {
        AssertLocked();
        PageMeta* page = _classes[sizeClass].Current;
        return (page != null && page->FreeCount != 0) || _classes[sizeClass].Listed != null;
    }

    /// <summary>Takes in a page that was found in a file, with what is live in it; the pool counts it no more.</summary>
    internal void AttachFound(PageMeta* page, long blocks, long payloadBytes, PagePool pool)
    {
        _lock.Enter();
        if (page->PendingFreeCount != 0)
            AddPendingPageLocked(page);
        LiveBlocks += blocks;
        PayloadBytes += payloadBytes;
        LiveSlotBytes += blocks * page->SlotBytes;
        AttachLocked(page);
        pool.CountRecovered(page); // inside this lock: no statistics may count the page twice, or not at all
        _lock.Exit();
    }

    private PageMeta* NextPageLocked(int sizeClass)
    {
        HeapClass* heapClass = _classes + sizeClass;
        PageMeta* page = heapClass->Listed;
        if (page != null)
            heapClass->Unlist(page);
        heapClass->Current = page; // the one before is full, and comes back to the list when one of its slots is freed
        return page;
    }

    private void AttachLocked(PageMeta* page)
    {
        Debug.Assert(!page->IsListed && page->SlotCount != 0, "The page is another heap's, or not laid out.");
        page->IsInTransit = false;
        page->Owner = _index;
        CountLocked(page, +1);
        HeapClass* heapClass = _classes + page->SizeClass;
        if (heapClass->Current == null || heapClass->Current->FreeCount == 0)
            heapClass->Current = page; // a full one comes to the list when one of its slots is freed
        else if (page->FreeCount != 0)
            heapClass->List(page);
    }

    private void CountLocked(PageMeta* page, int sign)
    {
        AssertLocked();
        int rest = SizeClasses.PageBytes - page->SlotCount * page->SlotBytes;
        PageBytes += sign * SizeClasses.PageBytes;
        UnusableBytes += sign * (rest + page->RetiredCount * page->SlotBytes);
        _pendingFreeBytes += sign * page->PendingFreeCount * page->SlotBytes;
        Debug.Assert(PageBytes >= 0 && UnusableBytes >= 0, "More pages went than came.");
    }

    private void ListIfFreeLocked(PageMeta* page)
    {
        if (page->FreeCount != 0 && !page->IsListed && !page->IsInTransit && page != _classes[page->SizeClass].Current)
            _classes[page->SizeClass].List(page);
    }

    private bool IsToReturnLocked(PageMeta* page) =>
        page->IsEmpty && !page->IsInTransit && page != _classes[page->SizeClass].Current;

    // The page is nowhere until the pool has it.
    private PageMeta* GiveUpLocked(PageMeta* page)
    {
        AssertLocked();
        _reclaimEvents.Begin();
        Debug.Assert(page->IsEmpty && page->PendingFreeCount == 0 && page->Owner == _index, "The page holds something.");
        if (page->IsListed)
            _classes[page->SizeClass].Unlist(page);
        page->Owner = PageMeta.NoOwner;
        CountLocked(page, -1);
        return page;
    }
}
