using System;
using System.Diagnostics;
using System.Numerics;

namespace BigPile.Allocation;

/// <summary>Which pages are free: a bit for each.</summary>
internal sealed unsafe partial class Segment
{
    internal void AddFreePage(int page)
    {
        Debug.Assert(page >= HeadPages && page < PageCount && !IsFreePage(page), "The page is free, or none to be.");
        _freePages[page >> 6] |= 1UL << page;
        FreePageCount++;
    }

    /// <summary>Takes the lowest free page, so that the last segments become empty first; -1 when there is none.</summary>
    internal int TakeFreePage()
    {
        if (FreePageCount == 0)
            return -1;
        int word = Array.FindIndex(_freePages, static bits => bits != 0);
        int page = word * 64 + BitOperations.TrailingZeroCount(_freePages[word]);
        RemoveFreePage(page);
        return page;
    }

    /// <summary>Takes consecutive free pages; -1 when there are not so many.</summary>
    internal int TakeFreeRun(int pages)
    {
        int length = 0;
        for (int page = HeadPages; page < PageCount; page++)
        {
            length = IsFreePage(page) ? length + 1 : 0;
            if (length < pages)
                continue;
            int first = page - pages + 1;
            for (int i = first; i <= page; i++)
                RemoveFreePage(i);
            return first;
        }
        return -1;
    }

    /// <summary>Takes consecutive free pages that begin at a multiple of their number; -1 when there are none.</summary>
    internal int TakeFreeUnit(int pages)
    {
        for (int first = 0; first + pages <= PageCount; first += pages)
        {
            int page = first;
            while (page < first + pages && IsFreePage(page))
                page++;
            if (page < first + pages)
                continue;
            for (page = first; page < first + pages; page++)
                RemoveFreePage(page);
            return first;
        }
        return -1;
    }

    /// <summary>Whether a page may be taken. Changes under the pool's lock.</summary>
    internal bool IsFreePage(int page) => (_freePages[page >> 6] >> page & 1) != 0;

    private void RemoveFreePage(int page)
    {
        Debug.Assert(IsFreePage(page) && FreePageCount > 0, "A page is taken that is not free.");
        _freePages[page >> 6] &= ~(1UL << page);
        FreePageCount--;
    }
}
