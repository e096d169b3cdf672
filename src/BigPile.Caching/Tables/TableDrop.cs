using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>Drops a table with all that it holds.</summary>
internal sealed unsafe class TableDrop(TableEngine table)
{
    /// <summary>Frees all blocks and the index. The catalog has recorded the drop.</summary>
    internal void Complete()
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "No thread is in the table, this one included: its index is freed.");
        // A kill from here on leaves blocks of an id that is free or reused. Their version tells them from a new table's, and the next
        // opening frees them.
        CrashPoints.Pass(CrashPoint.ClearBeforeDropped);
        try
        {
            for (ulong number = 0; number < table.Index.BucketCount; number++)
                FreeBucket(number);
            FreeMarks();
        }
        finally
        {
            // Also after a failure: the catalog has the drop, so nothing uses the index any more.
            table.Dispose(isDropped: true);
        }
    }

    /// <summary>Frees a block that a walk found, if it belongs to a dropped table. The caller is in a critical region.</summary>
    /// <param name="heap">The pile.</param>
    /// <param name="address">The block.</param>
    /// <param name="upTo">Entries up to this version belong to the dropped table.</param>
    /// <returns><see langword="false"/> when it is not an entry of the dropped table.</returns>
    internal static bool FreeDropped(TableHeap heap, ulong address, ulong upTo)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the block's segment mapped.");
        BlockSnapshot view = heap.View(address);
        if (view.IsNone)
            return true; // freed since the walk found it
        var head = new EntryHead(view.Payload);
        if (!head.FitsIn(view.PayloadBytes) || head.Version > upTo)
            return false;
        heap.Versions.RaiseTo(head.Version);
        EntryStore.Free(heap, address, head.Owned);
        return true;
    }

    private void FreeBucket(ulong number)
    {
        // By the pile: the table is closed. No bucket is locked, as no thread is in the table.
        using ChangeScope scope = table.Heap.EnterWriter();
        foreach (SlotPlace place in table.Index.SlotsOf(number))
        {
            if (table.Entries.TryViewLocked(place, out LockedEntry entry))
                table.Entries.Free(entry.Address, entry.Owned);
        }
    }

    private void FreeMarks()
    {
        using ChangeScope scope = table.Heap.EnterWriter();
        foreach (ulong mark in table.Tags.Addresses())
            table.Heap.Free(mark);
        foreach (SlotPlace place in table.Index.MarksLocked.Slots) // after a kill in a drop: Tags has not restored them
        {
            ulong address = place.Value.Address;
            if (table.Entries.TryViewLocked(address, out EntryHead head, out _) && head.Kind == ValueKind.TagMark)
                table.Heap.Free(address);
        }
    }
}
