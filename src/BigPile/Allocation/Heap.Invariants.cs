using System;
using System.Diagnostics;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

internal sealed unsafe partial class Heap
{
    private const string Structure = "Heap";
    private const string PageStructure = "Heap's page";

    /// <summary>Checks that the lists hold the right pages, and that the counters match them.</summary>
    /// <param name="segments">All segments that may have pages of this heap. No other thread uses them.</param>
    /// <exception cref="InvalidOperationException">They don't.</exception>
    internal void CheckInvariants(ReadOnlySpan<Segment> segments)
    {
        _lock.Enter();
        try
        {
            int listed = CheckLists();
            var owned = default(OwnPages);
            foreach (Segment segment in segments)
            {
                for (int page = segment.HeadPages; page < segment.PageCount; page++)
                {
                    if (segment.Metas[page].Owner == _index && !segment.Metas[page].IsInTransit)
                        CheckOwn(segment.Metas + page, ref owned);
                }
            }
            Invariant.Equal(Structure, _index, "listed pages", listed, owned.Listed);
            Invariant.Equal(Structure, _index, "bytes of pages", PageBytes, owned.PageBytes);
            Invariant.Equal(Structure, _index, "unusable bytes", UnusableBytes, owned.UnusableBytes);
            Invariant.Equal(Structure, _index, "bytes of pending frees", _pendingFreeBytes, owned.PendingFreeBytes);
        }
        finally
        {
            _lock.Exit();
        }
    }

    private int CheckLists()
    {
        int listed = 0;
        for (int kind = 0; kind < PageKind.End; kind++)
        {
            PageMeta* current = _classes[kind].Current;
            if (current != null)
                CheckKnown(current, kind, isListed: false);
            PageMeta* before = null;
            for (PageMeta* page = _classes[kind].Listed; page != null; before = page, page = page->Next)
            {
                CheckKnown(page, kind, isListed: true);
                Invariant.True(PageStructure, page->PageNumber, "listed page led back from", page->Previous == before);
                Invariant.True(PageStructure, page->PageNumber, "listed page with a free slot", page->FreeCount != 0);
                listed++;
            }
        }
        return listed;
    }

    private void CheckKnown(PageMeta* page, int kind, bool isListed)
    {
        Invariant.Equal(PageStructure, page->PageNumber, "owner of a page that it knows", page->Owner, _index);
        Invariant.Equal(PageStructure, page->PageNumber, "kind of a page that it knows", page->Kind, (short)kind);
        Invariant.Equal(PageStructure, page->PageNumber, "page that it knows listed", page->IsListed, isListed);
        Invariant.False(PageStructure, page->PageNumber, "page that it knows in transit", page->IsInTransit);
    }

    private void CheckOwn(PageMeta* page, ref OwnPages owned)
    {
        bool isCurrent = _classes[page->Kind].Current == page;
        if (page->FreeCount != 0)
            Invariant.True(PageStructure, page->PageNumber, "page with a free slot listed or current", page->IsListed || isCurrent);
        if (page->IsAllFree)
            Invariant.True(PageStructure, page->PageNumber, "empty page current", isCurrent);
        owned.Listed += page->IsListed ? 1 : 0;
        owned.PageBytes += SizeClasses.PageBytes;
        owned.UnusableBytes += SizeClasses.PageBytes - (page->SlotCount - page->ExhaustedCount) * page->SlotBytes;
        owned.PendingFreeBytes += page->PendingFreeCount * page->SlotBytes;
    }

    /// <summary>Asserts that the heap's lock is held; in debug builds, which tests run.</summary>
    [Conditional("DEBUG")]
    private void AssertLocked() => Debug.Assert(_lock.IsTaken, "The heap's lock is needed.");

    private struct OwnPages
    {
        internal int Listed;
        internal long PageBytes;
        internal long UnusableBytes;
        internal long PendingFreeBytes;
    }
}
