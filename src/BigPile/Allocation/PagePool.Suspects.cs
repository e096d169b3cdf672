using System;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Free pages that may hold blocks of a layout which a power cut took: see <c>LostLayouts</c>.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Says above which generation a page has to be laid out; set after a power cut, before anybody uses the pool.</summary>
    internal Func<Segment, int, uint>? GenerationAbove { get; set; }

    /// <summary>Free pages that were not searched yet.</summary>
    internal long SuspectPages { get; private set; }

    /// <summary>Searches those of some free pages that were not searched yet.</summary>
    /// <returns>How many these were.</returns>
    internal int SearchSuspects(Segment segment, int first, int end)
    {
        int count = 0;
        for (int page = first; page < end; page++)
        {
            lock (_lock)
            {
                if (segment.IsWithdrawn || !segment.IsSuspect(page))
                    continue;
                SearchLocked(segment, page);
                segment.SetWord(page, PageWord.Unused(segment.Metas[page].MaxGeneration)); // for the lives to come
                count++;
            }
        }
        return count;
    }

    /// <summary>Notes that a block of a lost layout was at an address: no later one there may be taken for it.</summary>
    internal void NoteLost(ulong address, uint generation)
    {
        lock (_lock)
        {
            if (Find(address) is not { } segment)
                return;
            PageMeta* meta = segment.Metas + segment.PageOf(address);
            meta->MaxGeneration = Math.Max(meta->MaxGeneration, Math.Min(generation + 1, PilePointer.MaxGeneration));
        }
    }

    // A page whose generations are used up stays out of use.
    private bool IsUsableLocked(Segment segment, int page)
    {
        if (segment.IsSuspect(page))
            SearchLocked(segment, page);
        return segment.Metas[page].MaxGeneration < PilePointer.MaxGeneration;
    }

    private void SearchLocked(Segment segment, int page)
    {
        segment.Metas[page].MaxGeneration = GenerationAbove!(segment, page);
        segment.RemoveSuspect(page);
        SuspectPages--;
    }

    private void ForgetSuspectsLocked(Segment segment)
    {
        for (int page = segment.HeadPages; page < segment.PageCount && SuspectPages != 0; page++)
        {
            if (segment.IsSuspect(page))
            {
                segment.RemoveSuspect(page);
                SuspectPages--;
            }
        }
    }

    /// <summary>A page to use; none when a segment has no more.</summary>
    private int TakeFreePageLocked(Segment segment)
    {
        while (segment.TakeFreePage() is >= 0 and int page)
        {
            if (IsUsableLocked(segment, page))
                return page;
            FreePages--;
        }
        return -1;
    }

    /// <summary>Pages in a row to use, the first of which can be given a block.</summary>
    private int TakeFreeRunLocked(Segment segment, int pages)
    {
        while (segment.TakeFreeRun(pages) is >= 0 and int first)
        {
            bool isUsable = IsUsableLocked(segment, first);
            for (int page = first + 1; page < first + pages; page++)
                _ = IsUsableLocked(segment, page);
            if (isUsable)
                return first;
            FreePages--;
            for (int page = first + 1; page < first + pages; page++)
                segment.AddFreePage(page);
        }
        return -1;
    }
}
