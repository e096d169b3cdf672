using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>The free pages of all segments, lowest address first; decides when there are enough of them to trim.</summary>
/// <remarks>
/// Thread safety: all members need the pool's lock. Invariant: <see cref="Count"/> = free pages of the segments in use + all pages except
/// head pages of the segments that are idle, or withdrawn and not yet forgotten.
/// </remarks>
internal sealed unsafe class FreePages(SegmentTable segments, SuspectPages suspects, ChangedPages changed, Lock poolLock)
{
    private readonly int[] _firstWithSpace = new int[3]; // for each use: no segment below this number has a free page for it
    private long _trimAbovePages; // a trim is wanted while Count is above; under the pool's lock
    private bool _hasFoundEmpty; // whether a segment was empty when it was scanned; under the pool's lock

    /// <summary>Free pages, those of idle and withdrawn segments included. Written under the pool's lock.</summary>
    internal long Count { get; private set; }

    /// <summary>Whether so many pages are free that a trim may return a whole segment. Every change asks, without the lock.</summary>
    internal bool IsTrimWanted { get; private set; }

    /// <summary>The segment with the lowest number that has a free page for these blocks.</summary>
    internal Segment? First(PageUse use)
    {
        for (ref int number = ref _firstWithSpace[(int)use]; number < segments.End; number++)
        {
            if (segments.StartingAt(number) is { } segment && segment.FreePagesFor(use) != 0)
                return segment;
        }
        return null;
    }

    /// <summary>Has the first free group of pages be for blocks that stay.</summary>
    /// <returns>Its segment; <see langword="null"/> when there is no such group.</returns>
    internal Segment? ReserveGroup()
    {
        for (Segment? segment = First(PageUse.Evictable); segment != null; segment = After(segment))
        {
            if (!segment.TryReserveGroup())
                continue;
            IncludeInSearch(segment);
            return segment;
        }
        return null;
    }

    /// <summary>Has the groups of some pages, free or not, be for blocks that stay.</summary>
    internal void Reserve(Segment segment, int first, int pages)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        segment.Reserve(first, pages);
        IncludeInSearch(segment);
    }

    /// <summary>Takes a usable page; -1 when the segment has none.</summary>
    internal int TakePage(Segment segment, PageUse use)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        while (segment.TakeFreePage(use) is >= 0 and int page)
        {
            Count--;
            if (!suspects.IsUsable(segment, page))
                continue;
            _trimAbovePages = Math.Min(_trimAbovePages, NextTrimAbove(Count));
            return page;
        }
        return -1;
    }

    /// <summary>Takes consecutive pages in an existing segment; <see langword="null"/> when no segment has that many.</summary>
    internal Segment? TakeRun(int pages, PageUse use, out int first)
    {
        for (Segment? segment = First(PageUse.Any); segment != null; segment = After(segment))
        {
            first = TakeRun(segment, pages, use);
            if (first >= 0)
                return segment;
        }
        first = -1;
        return null;
    }

    /// <summary>Takes consecutive pages of a segment, the first of which can hold a block; -1 when there are none.</summary>
    internal int TakeRun(Segment segment, int pages, PageUse use)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        while (segment.TakeFreeRun(pages, step: 1, use) is >= 0 and int first)
        {
            bool isUsable = suspects.IsUsable(segment, first);
            for (int page = first + 1; page < first + pages; page++)
                _ = suspects.IsUsable(segment, page);
            if (isUsable)
            {
                Count -= pages;
                if (use == PageUse.Lasting)
                    IncludeInSearch(segment); // what is left of its groups
                return first;
            }
            Count--;
            for (int page = first + 1; page < first + pages; page++)
                segment.AddFreePage(page);
        }
        return -1;
    }

    /// <summary>Frees an empty page. A page whose generations are exhausted is never used again.</summary>
    /// <remarks>
    /// Each use of a page raises its generation base, even if it used no slot: so the newer one of two words of a page is known.
    /// </remarks>
    internal void Free(Segment segment, int page)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        PageMeta* meta = segment.Metas + page;
        Debug.Assert(meta->FreeBits == null && meta->Owner == PageMeta.NoOwner, "The page is still laid out.");
        uint generation = Math.Max(meta->MaxGeneration, Math.Min(segment.WordOf(page).GenerationBase + 1, PilePointer.MaxGeneration));
        meta->MaxGeneration = generation;
        segment.Unpublish(page, generation);
        changed.KeepFreedWord(segment, page);
        if (generation == PilePointer.MaxGeneration)
            return;
        segment.AddFreePage(page);
        Count++;
        IncludeInSearch(segment);
        IsTrimWanted |= Count > _trimAbovePages || CanSpare(segment);
    }

    /// <summary>Takes consecutive pages that begin at a multiple of their number, of the last segment that has such.</summary>
    internal Segment? TakeAligned(int pages, out int first)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        for (int number = segments.End - 1; number >= _firstWithSpace[(int)PageUse.Any]; number--)
        {
            if (segments.StartingAt(number) is not { } segment)
                continue;
            first = segment.TakeFreeRun(pages, step: pages, PageUse.Any);
            if (first < 0)
                continue;
            Count -= pages;
            return segment;
        }
        first = -1;
        return null;
    }

    /// <summary>Takes consecutive pages that may be stored to, where the store has no space for others.</summary>
    internal bool TryTakeAllocated(int pages, PageUse use, [NotNullWhen(true)] out Segment? segment, out int first)
    {
        for (segment = First(PageUse.Any); segment != null; segment = After(segment))
        {
            first = TakeRun(segment, pages, use);
            if (first >= 0 && first + pages <= segment.AllocatedPages)
                return true;
            if (first >= 0)
                PutBack(segment, first, pages);
        }
        first = -1;
        return false;
    }

    /// <summary>Puts back pages that were taken, and not used.</summary>
    internal void PutBack(Segment segment, int first, int pages = 1)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        for (int page = first; page < first + pages; page++)
            segment.AddFreePage(page);
        Count += pages;
        IncludeInSearch(segment);
    }

    /// <summary>Adds a segment that was held before its pages were known.</summary>
    internal void AddScanned(Segment segment)
    {
        Add(segment);
        _hasFoundEmpty |= segment.IsEmpty; // a killed owner has not given it back
        IsTrimWanted |= _hasFoundEmpty && Count > LeastToTrim;
    }

    /// <summary>Adds a segment that is needed.</summary>
    internal void AddSegment(Segment segment)
    {
        Add(segment);
        _trimAbovePages = NextTrimAbove(0);
    }

    /// <summary>Makes the next search begin at this segment, or before it.</summary>
    internal void IncludeInSearch(Segment segment)
    {
        foreach (ref int number in _firstWithSpace.AsSpan())
            number = Math.Min(number, segment.Number);
    }

    /// <summary>Called when a trim begins: what is wanted from here on it may miss.</summary>
    internal void OnTrimming() => IsTrimWanted = false;

    /// <summary>Called when a trim has ended. Another one is wanted where much was freed meanwhile.</summary>
    /// <param name="countBefore">The free pages at its beginning.</param>
    /// <param name="withdrawnPages">The pages that are still counted as free, and about to be unmapped.</param>
    internal void OnTrimmed(long countBefore, long withdrawnPages)
    {
        _trimAbovePages = NextTrimAbove(Math.Min(countBefore, Count) - withdrawnPages);
        IsTrimWanted |= Count - withdrawnPages > _trimAbovePages;
    }

    /// <summary>Whether so much is free without some pages that the next segment is not made soon.</summary>
    internal bool IsEnoughWithout(long pages) => Count - pages >= LeastToKeep;

    /// <summary>Subtracts the pages of a segment that is gone.</summary>
    internal void Forget(Segment segment)
    {
        Count -= segment.PageCount - segment.HeadPages;
        Debug.Assert(Count >= 0, "More pages went than were free.");
    }

    /// <summary>Checks that the count matches the segments, and that the search skips no segment with a free page.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "FreePages";
        long count = segments.CountWithdrawnPages();
        foreach (Segment segment in segments.All())
        {
            count += segment.IsIdle ? segment.PageCount - segment.HeadPages : segment.FreePageCount;
            foreach (PageUse use in Enum.GetValues<PageUse>())
            {
                if (segment.Number < _firstWithSpace[(int)use])
                    Invariant.Equal(Structure, segment.Number, "free pages before the first with space", segment.FreePagesFor(use), 0);
            }
        }
        Invariant.Equal(Structure, 0, "free pages", Count, count);
    }

    private Segment? After(Segment segment)
    {
        for (int number = segment.Number + 1; number < segments.End; number++)
        {
            if (segments.StartingAt(number) is { FreePageCount: > 0 } next)
                return next;
        }
        return null;
    }

    private void Add(Segment segment)
    {
        Count += segment.FreePageCount;
        IncludeInSearch(segment);
    }

    // Whether a segment is empty, and without it enough is free that the next pages need no new one.
    private bool CanSpare(Segment segment) => segment.IsEmpty && Count > LeastToTrim;

    // A segment, and what stays.
    private long LeastToTrim => segments.PagesPerNumber + LeastToKeep;

    private long LeastToKeep => segments.PagesPerNumber / 4;

    // Scattered free pages can't be trimmed: after a trim, the next one needs an eighth of a segment more of them, or an empty segment.
    private long NextTrimAbove(long freePages) => Math.Max(LeastToTrim, freePages + segments.PagesPerNumber / 8);
}
