using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Free pages that may hold blocks of a layout which a power cut took: see <c>LostLayouts</c>.</summary>
/// <remarks>All members are called under the pool's lock. Where there was no power cut no page of any segment is suspect.</remarks>
internal sealed unsafe class SuspectPages(Lock poolLock)
{
    /// <summary>Says above which generation a page has to be laid out; set after a power cut, before anybody uses the pool.</summary>
    internal Func<Segment, int, uint>? GenerationAbove { get; set; }

    /// <summary>Free pages that were not searched yet.</summary>
    internal long Count { get; private set; }

    /// <summary>Takes in a segment whose free pages are known by now.</summary>
    internal void AddScanned(Segment segment) => Count += GenerationAbove == null ? 0 : segment.SuspectFreePages();

    /// <summary>Searches a free page, if it was not searched yet, for this life of the pile and those to come.</summary>
    internal bool TrySearchFree(Segment segment, int page)
    {
        if (segment.IsWithdrawn || !segment.IsSuspect(page))
            return false;
        Search(segment, page);
        segment.SetWord(page, PageWord.Unused(segment.Metas[page].MaxGeneration));
        return true;
    }

    /// <summary>Whether a page that was taken can be used: one whose generations are used up stays out of use.</summary>
    internal bool IsUsable(Segment segment, int page)
    {
        if (segment.IsSuspect(page))
            Search(segment, page);
        return segment.Metas[page].MaxGeneration < PilePointer.MaxGeneration;
    }

    /// <summary>Leaves the pages of a segment that is gone for ever.</summary>
    internal void Forget(Segment segment)
    {
        for (int page = segment.HeadPages; page < segment.PageCount && Count != 0; page++)
        {
            if (segment.IsSuspect(page))
                Remove(segment, page);
        }
    }

    /// <summary>Looks whether the count is that of the segments.</summary>
    /// <exception cref="InvalidOperationException">It is not.</exception>
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
