using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Free pages that are not used while the system is short of memory: theirs has gone back to it.</summary>
/// <remarks>Thread safety: the pool's lock. Invariant: none of them is among the free pages of its segment, and no heap owns it.</remarks>
internal sealed unsafe class WithheldPages(FreePages free, Lock poolLock)
{
    private readonly Stack<(Segment Segment, int Page)> _pages = [];

    internal long Count => _pages.Count;

    internal long Bytes => Count * SizeClasses.PageBytes;

    /// <summary>Withholds free pages.</summary>
    /// <param name="most">How many at most.</param>
    /// <returns>How many there were.</returns>
    internal int Withhold(int most)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        int taken = 0;
        while (taken < most && free.First() is { } segment)
        {
            int page = free.TakePage(segment);
            if (page < 0)
                continue;
            _ = segment.Region.TryDiscard((long)page * SizeClasses.PageBytes, SizeClasses.PageBytes);
            segment.Metas[page].IsWithheld = true;
            _pages.Push((segment, page));
            taken++;
        }
        return taken;
    }

    /// <summary>Lets pages be used again.</summary>
    internal void GiveBack(int most)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        for (; most > 0 && _pages.TryPop(out (Segment Segment, int Page) last); most--)
        {
            last.Segment.Metas[last.Page].IsWithheld = false;
            free.PutBack(last.Segment, last.Page);
        }
    }

    /// <summary>Checks that the pages are in no use.</summary>
    /// <exception cref="InvalidOperationException">One is.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "WithheldPages";
        foreach ((Segment segment, int page) in _pages)
        {
            Invariant.True(Structure, segment.Number, "withheld page marked", segment.Metas[page].IsWithheld);
            Invariant.False(Structure, segment.Number, "withheld page free", segment.IsFreePage(page));
            Invariant.True(Structure, segment.Number, "withheld page without a layout", segment.WordOf(page).IsUnused);
            Invariant.Equal(Structure, segment.Number, "owner of a withheld page", segment.Metas[page].Owner, PageMeta.NoOwner);
        }
    }
}
