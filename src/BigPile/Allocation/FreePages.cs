using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Checking;

namespace BigPile.Allocation;

/// <summary>The free pages of all segments, of which the lowest are taken first, and whether there are many enough to trim.</summary>
/// <remarks>
/// All members are called under the pool's lock. Accounting: <see cref="Count"/> = free pages of the segments in use + all pages, heads
/// excepted, of those that are idle, or withdrawn and not forgotten yet.
/// </remarks>
internal sealed unsafe class FreePages(SegmentTable segments, SuspectPages suspects, ReclaimEvents reclaimEvents, Lock poolLock)
{
    private int _firstWithSpace;
    private long _trimAbovePages;

    internal long Count { get; private set; }

    /// <summary>The first segment with a free page.</summary>
    internal Segment? First()
    {
        for (; _firstWithSpace < segments.End; _firstWithSpace++)
        {
            if (segments.StartingAt(_firstWithSpace) is { FreePageCount: > 0 } segment)
                return segment;
        }
        return null;
    }

    /// <summary>A page to use; -1 when a segment has no more.</summary>
    internal int TakePage(Segment segment)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        while (segment.TakeFreePage() is >= 0 and int page)
        {
            Count--;
            if (!suspects.IsUsable(segment, page))
                continue;
            _trimAbovePages = Math.Min(_trimAbovePages, NextTrimAbove(Count));
            return page;
        }
        return -1;
    }

    /// <summary>Pages in a row to use, in a segment that is there; none when there are not so many.</summary>
    internal Segment? TakeRun(int pages, out int first)
    {
        for (int number = _firstWithSpace; number < segments.End; number++)
        {
            if (segments.StartingAt(number) is not { } segment || segment.FreePageCount < pages)
                continue;
            first = TakeRun(segment, pages);
            if (first >= 0)
                return segment;
        }
        first = -1;
        return null;
    }

    /// <summary>Pages in a row to use, the first of which can be given a block; -1 when a segment has none.</summary>
    internal int TakeRun(Segment segment, int pages)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        while (segment.TakeFreeRun(pages) is >= 0 and int first)
        {
            bool isUsable = suspects.IsUsable(segment, first);
            for (int page = first + 1; page < first + pages; page++)
                _ = suspects.IsUsable(segment, page);
            if (isUsable)
            {
                Count -= pages;
                return first;
            }
            Count--;
            for (int page = first + 1; page < first + pages; page++)
                segment.AddFreePage(page);
        }
        return -1;
    }

    /// <summary>Frees a page that holds nothing. One whose generations are used up is never given out again.</summary>
    /// <remarks>
    /// The generation rises with each use of a page, whatever became of its slots: so of two words of a page the younger one is known.
    /// </remarks>
    internal void Free(Segment segment, int page)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        PageMeta* meta = segment.Metas + page;
        Debug.Assert(meta->FreeBits == null && meta->Owner == PageMeta.NoOwner, "The page is laid out yet.");
        uint generation = Math.Max(meta->MaxGeneration, Math.Min(segment.WordOf(page).GenerationBase + 1, PilePointer.MaxGeneration));
        meta->MaxGeneration = generation;
        segment.Unpublish(page, generation);
        if (generation == PilePointer.MaxGeneration)
            return;
        segment.AddFreePage(page);
        Count++;
        IncludeInSearch(segment);
        reclaimEvents.IsTrimWanted = Count > _trimAbovePages;
    }

    /// <summary>Takes in a segment that was held before its pages were known.</summary>
    internal void AddScanned(Segment segment)
    {
        Count += segment.FreePageCount;
        IncludeInSearch(segment);
    }

    /// <summary>Takes in a further segment.</summary>
    internal void AddSegment(Segment segment)
    {
        AddScanned(segment);
        _trimAbovePages = NextTrimAbove(0);
    }

    /// <summary>Has a segment be looked at for free pages.</summary>
    internal void IncludeInSearch(Segment segment) => _firstWithSpace = Math.Min(_firstWithSpace, segment.Number);

    /// <summary>States that a trim has come to its end.</summary>
    /// <param name="withdrawnPages">The pages that are free yet, and about to go.</param>
    internal void OnTrimmed(long withdrawnPages)
    {
        _trimAbovePages = NextTrimAbove(Count - withdrawnPages);
        reclaimEvents.IsTrimWanted = false;
    }

    /// <summary>Leaves the pages of a segment that is gone.</summary>
    internal void Forget(Segment segment)
    {
        Count -= segment.PageCount - segment.HeadPages;
        Debug.Assert(Count >= 0, "More pages went than were free.");
    }

    /// <summary>Looks whether the count is that of the segments, and none with space is passed over.</summary>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "FreePages";
        long count = segments.CountWithdrawnPages();
        foreach (Segment segment in segments.All())
        {
            count += segment.IsIdle ? segment.PageCount - segment.HeadPages : segment.FreePageCount;
            if (segment.Number < _firstWithSpace)
                Invariant.Equal(Structure, segment.Number, "free pages before the first with space", segment.FreePageCount, 0);
        }
        Invariant.Equal(Structure, _firstWithSpace, "free pages", Count, count);
    }

    // Free pages that lie scattered can't be given back: after a trim it takes an eighth of a segment more to try again.
    private long NextTrimAbove(long freePages) =>
        Math.Max(segments.PagesPerNumber * 5 / 4, freePages + segments.PagesPerNumber / 8);
}
