using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Operations;

/// <summary>Drops a table with all that it holds.</summary>
internal static unsafe class Dropping
{
    /// <summary>Frees all blocks and the index. The catalog has recorded the drop.</summary>
    internal static void CompleteDrop(this TableCore core)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "No thread is in the table, this one included: its index is freed.");
        // A kill from here on leaves blocks of an id that is free or reused. Their version tells them from a new table's, and the next
        // opening frees them.
        CrashPoints.Pass(CrashPoint.ClearBeforeDropped);
        try
        {
            for (ulong number = 0; number < core.Index.BucketCount; number++)
                core.FreeBucket(number);
            core.FreeMarks();
        }
        finally
        {
            // Also after a failure: the catalog has the drop, so nothing uses the index any more.
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
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the block's segment mapped.");
        BlockSnapshot view = pile.Entries.View(address);
        if (view.IsNone)
            return true; // freed since the walk found it
        var head = new EntryHead(view.Payload);
        if (!head.FitsIn(view.PayloadBytes) || head.Version > upTo)
            return false;
        pile.Engine.Versions.RaiseTo(head.Version); // versions go on above all that were used
        LockedEntries.Free(pile, address, head.Owned);
        return true;
    }

    private static void FreeBucket(this TableCore core, ulong number)
    {
        // By the pile: the table is closed. No bucket is locked, as no thread is in the table.
        using ChangeScope scope = core.Pile.Blocks.EnterWriter();
        foreach (SlotPlace place in core.Index.SlotsOf(number))
        {
            if (core.TryViewLocked(place, out LockedEntry entry))
                LockedEntries.Free(core.Pile, entry.Address, entry.Owned);
        }
    }

    private static void FreeMarks(this TableCore core)
    {
        using ChangeScope scope = core.Pile.Blocks.EnterWriter();
        foreach (ulong mark in core.Tags.Addresses())
            core.Pile.Entries.Free(mark);
        foreach (SlotPlace place in core.Index.MarksLocked.Slots) // after a kill in a drop: Tags has not restored them
        {
            ulong address = place.Value.Address;
            if (core.TryViewLocked(address, out EntryHead head, out _) && head.Kind == ValueKind.TagMark)
                core.Pile.Entries.Free(address);
        }
    }
}
