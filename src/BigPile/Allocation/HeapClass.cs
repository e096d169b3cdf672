using System.Diagnostics;

namespace BigPile.Allocation;

/// <summary>A heap's pages of one kind.</summary>
/// <remarks>Thread safety: the heap's lock.</remarks>
internal unsafe struct HeapClass
{
    /// <summary>The page that slots are taken from; not in the list. Null before the first one.</summary>
    internal PageMeta* Current;

    /// <summary>The head of a doubly linked list of other pages with a free slot.</summary>
    internal PageMeta* Listed;

    internal readonly bool HasSlot => (Current != null && Current->FreeCount != 0) || Listed != null;

    /// <summary>The bytes of the current page's free slots.</summary>
    internal readonly long CurrentFreeBytes => Current == null ? 0 : (long)Current->FreeCount * Current->SlotBytes;

    /// <summary>Adds a page at the head of the list.</summary>
    internal void List(PageMeta* page)
    {
        Debug.Assert(!page->IsListed && page->FreeCount != 0 && page != Current, "The page is listed, current, or full.");
        page->IsListed = true;
        page->Previous = null;
        page->Next = Listed;
        if (page->Next != null)
            page->Next->Previous = page;
        Listed = page;
    }

    /// <summary>Removes a page from the list.</summary>
    internal void Unlist(PageMeta* page)
    {
        Debug.Assert(page->IsListed && (page->Previous != null || Listed == page), "The page is not in this list.");
        if (page->Previous != null)
            page->Previous->Next = page->Next;
        else
            Listed = page->Next;
        if (page->Next != null)
            page->Next->Previous = page->Previous;
        page->IsListed = false;
    }

    /// <summary>Removes a page that is listed, current, or full.</summary>
    internal void Remove(PageMeta* page)
    {
        if (page->IsListed)
            Unlist(page);
        if (page == Current)
            Current = null;
    }
}
