using System.Diagnostics;
using System.Numerics;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Which pages are free, and which are for blocks that stay: a bit for each.</summary>
/// <remarks>
/// Blocks that stay get whole groups of pages, as the page blocks of Linux are of one migrate type: else there would be one of them in each
/// stretch of memory, and no large block could ever take the space of those that may be evicted. A group without a block is for either.
/// </remarks>
internal sealed unsafe partial class Segment
{
    /// <summary>The pages of a group: 2 MiB, as a huge page of the system.</summary>
    internal const int GroupPages = 32;

    internal const long GroupBytes = GroupPages * SizeClasses.PageBytes;

    /// <summary>
    /// From so many pages on a run that stays is not kept apart: it fills much of a group, and would leave a hole there when it goes.
    /// </summary>
    internal const int LeastPagesOfLarge = GroupPages / 4;

    private readonly ulong[] _lastingPages; // one bit per page: set while its group is for blocks that stay; not in a free group

    /// <summary>How many free pages there are in groups for these blocks.</summary>
    internal int FreePagesFor(PageUse use) =>
        use switch
        {
            PageUse.Any => FreePageCount,
            PageUse.Lasting => FreeLastingCount,
            _ => FreePageCount - FreeLastingCount,
        };

    private int FreeLastingCount { get; set; }

    internal void AddFreePage(int page)
    {
        Debug.Assert(page >= HeadPages && page < PageCount && !IsFreePage(page), "The page is free, or none to be.");
        _freePages[page >> 6] |= 1UL << page;
        FreePageCount++;
        if (!IsLasting(page))
            return;
        FreeLastingCount++;
        if (!IsFreeGroup(page))
            return;
        FreeLastingCount -= BitOperations.PopCount(_freePages[page >> 6] & GroupOf(page));
        _lastingPages[page >> 6] &= ~GroupOf(page);
    }

    /// <summary>Takes the lowest free page, so that the last segments become empty first; -1 when there is none.</summary>
    internal int TakeFreePage(PageUse use)
    {
        for (int word = 0; word < _freePages.Length && FreePagesFor(use) != 0; word++)
        {
            ulong free = _freePages[word] & PagesFor(use, word);
            if (free == 0)
                continue;
            int page = word * 64 + BitOperations.TrailingZeroCount(free);
            RemoveFreePage(page);
            return page;
        }
        return -1;
    }

    /// <summary>Takes consecutive free pages; -1 when there are not so many.</summary>
    /// <param name="pages">How many.</param>
    /// <param name="step">The first one is a multiple of it.</param>
    /// <param name="use">For which blocks; for those that stay, also free groups.</param>
    internal int TakeFreeRun(int pages, int step, PageUse use)
    {
        if (FreePageCount < pages)
            return -1;
        for (int first = RoundUp(HeadPages, step); first + pages <= PageCount;)
        {
            int last = first + pages - 1;
            while (last >= first && IsFreeFor(last, use))
                last--;
            if (last >= first)
            {
                first = RoundUp(last + 1, step);
                continue;
            }
            if (use == PageUse.Lasting)
                Reserve(first, pages);
            for (int page = first; page < first + pages; page++)
                RemoveFreePage(page);
            return first;
        }
        return -1;
    }

    /// <summary>Has the first free group be for blocks that stay.</summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryReserveGroup()
    {
        for (int first = 0; first < PageCount && FreePageCount != 0; first += GroupPages)
        {
            if (!IsFreeGroup(first))
                continue;
            Reserve(first, pages: 1);
            return true;
        }
        return false;
    }

    /// <summary>Has the groups of some pages be for blocks that stay.</summary>
    internal void Reserve(int first, int pages)
    {
        for (int page = first / GroupPages * GroupPages; page < first + pages; page += GroupPages)
        {
            FreeLastingCount += BitOperations.PopCount(_freePages[page >> 6] & GroupOf(page) & ~_lastingPages[page >> 6]);
            _lastingPages[page >> 6] |= GroupOf(page);
        }
    }

    /// <summary>Whether a page may be taken. Changes under the pool's lock.</summary>
    internal bool IsFreePage(int page) => (_freePages[page >> 6] >> page & 1) != 0;

    /// <summary>Whether a page is in a group for blocks that stay. Changes under the pool's lock.</summary>
    internal bool IsLasting(int page) => (_lastingPages[page >> 6] >> page & 1) != 0;

    private bool IsFreeFor(int page, PageUse use) =>
        IsFreePage(page) && ((PagesFor(use, page >> 6) >> page & 1) != 0 || (use == PageUse.Lasting && IsFreeGroup(page)));

    private ulong PagesFor(PageUse use, int word) => use switch
    {
        PageUse.Any => ulong.MaxValue,
        PageUse.Lasting => _lastingPages[word],
        _ => ~_lastingPages[word],
    };

    private bool IsFreeGroup(int page)
    {
        ulong group = GroupOf(page) & PagesIn(page >> 6);
        return group != 0 && (_freePages[page >> 6] & group) == group;
    }

    private static ulong GroupOf(int page) => (ulong)uint.MaxValue << (page & GroupPages);

    // The pages that there are, and that the head leaves, as bits of a word.
    private ulong PagesIn(int word)
    {
        ulong pages = ulong.MaxValue;
        if (HeadPages > word * 64)
            pages = HeadPages >= word * 64 + 64 ? 0 : pages << HeadPages;
        int end = PageCount - word * 64;
        return end >= 64 ? pages : pages & ((1UL << end) - 1);
    }

    private void RemoveFreePage(int page)
    {
        Debug.Assert(IsFreePage(page) && FreePageCount > 0, "A page is taken that is not free.");
        _freePages[page >> 6] &= ~(1UL << page);
        FreePageCount--;
        if (IsLasting(page))
            FreeLastingCount--;
    }

    private static int RoundUp(int page, int step) => (page + step - 1) / step * step;
}
