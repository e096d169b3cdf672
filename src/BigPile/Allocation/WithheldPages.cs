using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Free pages that are not used while the system is short of memory: theirs has gone back to it.</summary>
/// <remarks>
/// In units of a huge page: of a part of one the system takes nothing back before it splits it.
/// Thread safety: the pool's lock. Invariant: none of them is among the free pages of its segment, and no heap owns it.
/// </remarks>
internal sealed unsafe class WithheldPages(FreePages free, Lock poolLock)
{
    /// <summary>The pages of a unit, which begins at a multiple of as many.</summary>
    internal const int UnitPages = (2 << 20) / SizeClasses.PageBytes;

    internal const long UnitBytes = UnitPages * SizeClasses.PageBytes;

    private readonly Stack<(Segment Segment, int First)> _units = [];

    internal long Bytes => _units.Count * UnitBytes;

    /// <summary>Withholds free pages.</summary>
    /// <returns><see langword="false"/> when none are a unit.</returns>
    internal bool TryWithhold()
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        if (free.TakeUnit(UnitPages, out int first) is not { } segment)
            return false;
        _ = segment.Region.TryDiscard((long)first * SizeClasses.PageBytes, UnitBytes);
        for (int page = first; page < first + UnitPages; page++)
            segment.Metas[page].IsWithheld = true;
        _units.Push((segment, first));
        return true;
    }

    /// <summary>Lets the pages that were withheld last be used again.</summary>
    /// <returns><see langword="false"/> when none are withheld.</returns>
    internal bool TryGiveBack()
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        if (!_units.TryPop(out (Segment Segment, int First) unit))
            return false;
        for (int page = unit.First; page < unit.First + UnitPages; page++)
        {
            unit.Segment.Metas[page].IsWithheld = false;
            free.PutBack(unit.Segment, page);
        }
        return true;
    }

    /// <summary>Checks that the pages are in no use.</summary>
    /// <exception cref="InvalidOperationException">One is.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "WithheldPages";
        foreach ((Segment segment, int first) in _units)
        {
            for (int page = first; page < first + UnitPages; page++)
            {
                Invariant.True(Structure, segment.Number, "withheld page marked", segment.Metas[page].IsWithheld);
                Invariant.False(Structure, segment.Number, "withheld page free", segment.IsFreePage(page));
                Invariant.True(Structure, segment.Number, "withheld page without a layout", segment.WordOf(page).IsUnused);
                Invariant.Equal(Structure, segment.Number, "owner of a withheld page", segment.Metas[page].Owner, PageMeta.NoOwner);
            }
        }
    }
}
