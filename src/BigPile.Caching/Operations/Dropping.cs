using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Drops a table with all that it has.</summary>
/// <remarks>
/// Order: nobody is inside any more; the catalog says that the id is free; blocks freed, index freed. A kill behind the catalog's record
/// leaves blocks of an id that is free, or of another table by then, with a version that tells: the next walk frees them.
/// </remarks>
internal static unsafe class Dropping
{
    /// <summary>Frees all blocks and the index. The catalog says that the table is no more.</summary>
    internal static void CompleteDrop(this TableCore core)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "Everybody has left the table, and this thread, too: its index goes.");
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

    /// <summary>Frees a block that a walk found, if it is of a table that was dropped. The caller is inside.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="address">The block.</param>
    /// <param name="upTo">Entries up to this version are of that table.</param>
    /// <returns><see langword="false"/> when it can't be an entry of the table.</returns>
    internal static bool FreeDropped(Pile pile, ulong address, ulong upTo)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "The block stays in its place while the caller looks and frees.");
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
            foreach (SlotPlace place in core.Index.MarksLocked.Slots) // of a table whose drop goes on nobody has taken them in
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
