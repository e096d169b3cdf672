using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Free pages that are not used while the system is short of memory: theirs has gone back to it.</summary>
/// <remarks>
/// Whole groups where possible, each a huge page: of a part of one the system takes nothing back before it splits it.
/// Thread safety: the pool's lock. Invariant: none of them is among the free pages of its segment, and no heap owns it.
/// </remarks>
internal sealed unsafe class WithheldPages(FreePages free, Lock poolLock)
{
    private readonly Stack<(Segment Segment, int First, int Pages)> _runs = [];

    internal long Bytes { get; private set; }

    /// <summary>Withholds free pages.</summary>
    /// <param name="pages">How many consecutive ones: those of a group, or one.</param>
    /// <returns><see langword="false"/> when there are none.</returns>
    internal bool TryWithhold(int pages)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        if (free.TakeAligned(pages, out int first) is not { } segment)
            return false;
        _ = segment.Region.TryDiscard((long)first * SizeClasses.PageBytes, (long)pages * SizeClasses.PageBytes);
        Mark(segment, first, pages, isWithheld: true);
        _runs.Push((segment, first, pages));
        return true;
    }

    /// <summary>Lets the pages that were withheld last be used again.</summary>
    /// <param name="mostBytes">How much at most.</param>
    /// <returns><see langword="false"/> when none are withheld, or they are more.</returns>
    internal bool TryGiveBack(long mostBytes)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        if (!_runs.TryPeek(out (Segment Segment, int First, int Pages) run) || (long)run.Pages * SizeClasses.PageBytes > mostBytes)
            return false;
        _ = _runs.Pop();
        Mark(run.Segment, run.First, run.Pages, isWithheld: false);
        free.PutBack(run.Segment, run.First, run.Pages);
        return true;
    }

    /// <summary>Checks that the pages are in no use.</summary>
    /// <exception cref="InvalidOperationException">One is.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "WithheldPages";
        long bytes = 0;
        foreach ((Segment segment, int first, int pages) in _runs)
        {
            bytes += (long)pages * SizeClasses.PageBytes;
            for (int page = first; page < first + pages; page++)
            {
                Invariant.True(Structure, segment.Number, "withheld page marked", segment.Metas[page].IsWithheld);
                Invariant.False(Structure, segment.Number, "withheld page free", segment.IsFreePage(page));
                Invariant.True(Structure, segment.Number, "withheld page without a layout", segment.WordOf(page).IsUnused);
                Invariant.Equal(Structure, segment.Number, "owner of a withheld page", segment.Metas[page].Owner, PageMeta.NoOwner);
            }
        }
        Invariant.Equal(Structure, 0, "bytes", Bytes, bytes);
    }

    private void Mark(Segment segment, int first, int pages, bool isWithheld)
    {
        for (int page = first; page < first + pages; page++)
            segment.Metas[page].IsWithheld = isWithheld;
        Bytes += (isWithheld ? pages : -pages) * (long)SizeClasses.PageBytes;
    }
}
