using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Drops a table with all that it holds.</summary>
/// <remarks>
/// Order: no thread is in the table; the catalog records the id as free; blocks are freed; the index is freed. A kill after the catalog's
/// record leaves blocks of a free or reused id. Their version tells them from those of a new table, and the next walk frees them.
/// </remarks>
internal static unsafe class Dropping
{
    /// <summary>Frees all blocks and the index. The catalog has recorded the drop.</summary>
    internal static void CompleteDrop(this TableCore core)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "No thread is in the table, this one included: its index is freed.");
        CrashPoints.Pass(CrashPoint.ClearBeforeDropped);
        try
        {
            for (ulong number = 0; number < core.Index.BucketCount; number++)
                core.FreeBucket(number);
            core.FreeMarks();
        }
        finally
        {
            core.Dispose(isDropped: true);
        }
    }

    /// <summary>Frees a block that a walk found, if it belongs to a dropped table. The caller is in a critical region.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="address">The block.</param>
    /// <param name="upTo">Entries up to this version belong to the dropped table.</param>
    /// <returns><see langword="false"/> when it is not an entry of the dropped table.</returns>
    internal static bool FreeDropped(Pile pile, ulong address, ulong upTo)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "The critical region keeps the block's segment mapped.");
        EntryView view = pile.Entries.View(address);
        if (view.IsNone)
            return true;
        var head = new EntryHead(view.Payload);
        if (!head.FitsIn(view.PayloadBytes) || head.Version > upTo)
            return false;
        pile.Engine.Versions.RaiseTo(head.Version);
        LockedEntries.Free(pile, address, head.Owned);
        return true;
    }

    private static void FreeBucket(this TableCore core, ulong number)
    {
        CriticalRegion critical = core.Pile.Barrier.EnterWriter();
        try
        {
            foreach (SlotPlace place in core.Index.SlotsOf(number))
            {
                if (core.TryViewLocked(place, out LockedEntry entry))
                    LockedEntries.Free(core.Pile, entry.Address, entry.Owned);
            }
        }
        finally
        {
            core.Pile.Blocks.ExitAfterFree(critical);
        }
    }

    private static void FreeMarks(this TableCore core)
    {
        CriticalRegion critical = core.Pile.Barrier.EnterWriter();
        try
        {
            foreach (ulong mark in core.Tags.Addresses())
                core.Pile.Entries.Free(mark);
            foreach (SlotPlace place in core.Index.MarksLocked.Slots) // marks of an earlier process's drop
            {
                ulong address = place.Value.Address;
                if (core.TryViewLocked(address, out EntryHead head, out _) && head.Kind == ValueKind.TagMark)
                    core.Pile.Entries.Free(address);
            }
        }
        finally
        {
            core.Pile.Blocks.ExitAfterFree(critical);
        }
    }
}
