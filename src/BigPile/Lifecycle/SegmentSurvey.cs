using System;
using System.Collections.Generic;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Lifecycle;

/// <summary>Surveys what the segments are used for, by a walk through the page metadata that blocks no thread.</summary>
internal static class SegmentSurvey
{
    /// <summary>
    /// What the pages of each segment are used for. Reads only the allocator's metadata, about 140 bytes per page, and takes no lock: under
    /// concurrent changes the parts are of different instants, but their sum is still the segment's length.
    /// </summary>
    /// <param name="blocks">The blocks.</param>
    /// <param name="parts">The most parts of all segments together; a segment has at least one.</param>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    internal static IReadOnlyList<PileSegmentUse> Of(BlockStore blocks, int parts)
    {
        Segment[] segments = blocks.Allocator.Pool.Segments();
        var found = new List<PileSegmentUse>(segments.Length);
        int partsPerSegment = Math.Max(1, parts / Math.Max(1, segments.Length));
        foreach (Segment segment in segments)
        {
            using ReadScope scope = blocks.EnterReader();
            if (blocks.Allocator.Pool.IsInUse(segment)) // otherwise trimmed meanwhile
                found.Add(UseOf(segment, partsPerSegment));
        }
        return found;
    }

    // The caller is in a critical region, and the segment is in use.
    private static unsafe PileSegmentUse UseOf(Segment segment, int parts)
    {
        var found = new PilePageUse[Math.Min(parts, segment.PageCount)];
        for (int page = 0; page < segment.PageCount;)
        {
            int pages = Measure(segment, page, out PilePageUse use);
            for (int i = 0; i < pages; i++, page++)
                found[(int)((long)page * found.Length / segment.PageCount)] += use;
        }
        return new PileSegmentUse(segment.Number, found);
    }

    // Counts may be of different instants, as other threads go on. Each is read once, and bounded by what a page holds.
    private static unsafe int Measure(Segment segment, int page, out PilePageUse use)
    {
        const long PageBytes = SizeClasses.PageBytes;
        use = new PilePageUse(PageBytes, 0, 0, 0, 0);
        if (page < segment.HeadPages)
            return 1;
        PageInfo info = SegmentMap.Load(segment.Infos + page);
        PageWord word = segment.WordOf(page);
        int pages = word.IsRunHead ? Math.Clamp(word.RunPages, 1, segment.PageCount - page) : 1;
        if (info.IsUnrecovered)
        {
            use = new PilePageUse(0, 0, 0, PageBytes, 0);
            return pages;
        }
        bool isUnused = info.SlotCount == 0 && word.IsIntact && (word.IsUnused || word.IsRunTail || word.HasSlots);
        long freeBytes = info.ClassPlusOne == 0
            ? 0
            : Math.Min(segment.Metas[page].FreeCount, info.SlotCount) * (long)SizeClasses.SlotBytes(info.ClassPlusOne - 1);
        use = isUnused ? new PilePageUse(0, 0, 0, 0, PageBytes) : new PilePageUse(0, PageBytes - freeBytes, freeBytes, 0, 0);
        return info.SlotCount == 0 ? 1 : pages;
    }
}
