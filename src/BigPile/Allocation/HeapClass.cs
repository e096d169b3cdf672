using System.Diagnostics;

namespace BigPile.Allocation;

/// <summary>What a heap has of one size class: the page that it takes slots of, and a list of others with a free slot.</summary>
/// <remarks>Read and changed under the heap's lock.</remarks>
internal unsafe struct HeapClass
{
    /// <summary>The page that slots are taken of, listed nowhere; null before the first.</summary>
    internal PageMeta* Current;

    /// <summary>The first of the list.</summary>
    internal PageMeta* Listed;

    /// <summary>Puts a page before the others of the list.</summary>
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

    /// <summary>Takes a page out of the list.</summary>
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
}
