using System;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>What a segment's pages are used for, by a walk through the page metadata that blocks no thread.</summary>
/// <param name="Number">The segment.</param>
/// <param name="Cells">Its pages in order, in parts whose lengths differ by one page at most.</param>
internal sealed record SegmentUse(int Number, PageUse[] Cells)
{
    /// <summary>Walks through a segment's pages. The caller is in a critical region, and the segment is in use.</summary>
    internal static unsafe SegmentUse Of(Segment segment, int cells)
    {
        var found = new PageUse[Math.Min(cells, segment.PageCount)];
        for (int page = 0; page < segment.PageCount;)
        {
            int pages = Measure(segment, page, out PageUse use);
            for (int i = 0; i < pages; i++, page++)
                found[(int)((long)page * found.Length / segment.PageCount)] += use;
        }
        return new SegmentUse(segment.Number, found);
    }

    // Counts may be of different instants, as other threads go on. Each is read once, and bounded by what a page holds.
    private static unsafe int Measure(Segment segment, int page, out PageUse use)
    {
        const long PageBytes = SizeClasses.PageBytes;
        use = new PageUse(PageBytes, 0, 0, 0, 0);
        if (page < segment.HeadPages)
            return 1;
        PageInfo info = SegmentMap.Load(segment.Infos + page);
        PageWord word = segment.WordOf(page);
        int pages = word.IsRunHead ? Math.Clamp(word.RunPages, 1, segment.PageCount - page) : 1;
        if (info.IsUnrecovered)
        {
            use = new PageUse(0, 0, 0, PageBytes, 0);
            return pages;
        }
        bool isUnused = info.SlotCount == 0 && word.IsIntact && (word.IsUnused || word.IsRunTail || word.HasSlots);
        long freeBytes = info.ClassPlusOne == 0
            ? 0
            : Math.Min(segment.Metas[page].FreeCount, info.SlotCount) * (long)SizeClasses.SlotBytes(info.ClassPlusOne - 1);
        use = isUnused ? new PageUse(0, 0, 0, 0, PageBytes) : new PageUse(0, PageBytes - freeBytes, freeBytes, 0, 0);
        return info.SlotCount == 0 ? 1 : pages;
    }
}
