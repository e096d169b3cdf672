using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Free pages that may hold blocks of a layout that a power cut lost: see <c>LostLayouts</c>.</summary>
/// <remarks>Thread safety: all members need the pool's lock. Without a power cut no page is suspect.</remarks>
internal sealed unsafe class SuspectPages(Lock poolLock)
{
    /// <summary>Gives the generation above which a page has to be laid out; set after a power cut, before the pool is used.</summary>
    internal Func<Segment, int, uint>? GenerationAbove { get; set; }

    /// <summary>Free pages that were not searched yet.</summary>
    internal long Count { get; private set; }

    /// <summary>Marks the free pages of a scanned segment as suspect, after a power cut.</summary>
    internal void AddScanned(Segment segment) => Count += GenerationAbove == null ? 0 : segment.SuspectFreePages();

    /// <summary>Searches a free page if it is suspect, and stores the result in its word, for later openings too.</summary>
    internal bool TrySearchFree(Segment segment, int page)
    {
        if (segment.IsWithdrawn || !segment.IsSuspect(page))
            return false;
        Search(segment, page);
        segment.SetWord(page, PageWord.Unused(segment.Metas[page].MaxGeneration));
        return true;
    }

    /// <summary>
    /// Whether a page that was taken can be used; searches it first if it is suspect. A page with exhausted generations can't.
    /// </summary>
    internal bool IsUsable(Segment segment, int page)
    {
        if (segment.IsSuspect(page))
            Search(segment, page);
        return segment.Metas[page].MaxGeneration < PilePointer.MaxGeneration;
    }

    /// <summary>Subtracts the pages of a segment that is gone.</summary>
    internal void Forget(Segment segment)
    {
        for (int page = segment.HeadPages; page < segment.PageCount && Count != 0; page++)
        {
            if (segment.IsSuspect(page))
                Remove(segment, page);
        }
    }

    /// <summary>Checks that the count matches the segments.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal void CheckInvariants(List<Segment> segments)
    {
        long count = 0;
        foreach (Segment segment in segments)
            count += segment.CountSuspects();
        Invariant.Equal("SuspectPages", 0, "suspect pages", Count, count);
    }

    private void Search(Segment segment, int page)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        Debug.Assert(segment.Metas[page].Owner == PageMeta.NoOwner, "A heap's page is suspect.");
        segment.Metas[page].MaxGeneration = GenerationAbove!(segment, page);
        Remove(segment, page);
    }

    private void Remove(Segment segment, int page)
    {
        Debug.Assert(Count > 0, "More suspect pages than were counted.");
        segment.RemoveSuspect(page);
        Count--;
    }
}
