using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching;

/// <summary>Dropping the table.</summary>
/// <remarks>
/// Order: nobody is inside any more; the catalog says that the id is free; blocks freed, index freed. A kill behind the catalog's record
/// leaves blocks of an id that is free, or of another table by then, with a version that tells: the next walk frees them.
/// </remarks>
internal sealed unsafe partial class TableCore
{
    private bool _isDropped;

    /// <summary>Refuses all later calls, and waits until those that run have ended.</summary>
    internal void BeginDrop()
    {
        Volatile.Write(ref _isDropped, true); // before the state, by which others come to look at it
        Close();
        ThreadPresence.WaitForOthers();
    }

    /// <summary>Has the table be as it was before <see cref="BeginDrop"/>.</summary>
    internal void AbandonDrop()
    {
        Volatile.Write(ref _state, Open);
        Volatile.Write(ref _isDropped, false);
    }

    /// <summary>Frees all blocks and the index. The catalog says that the table is no more.</summary>
    internal void CompleteDrop()
    {
        KillPoint.Pass(KillWindow.ClearBeforeDropped);
        try
        {
            for (ulong number = 0; number < _index.BucketCount; number++)
                FreeBucket(number);
            FreeMarks();
        }
        finally
        {
            FrozenStatistics = Statistics with { EntryCount = 0, EntryBytes = 0, IndexBytes = 0, BlockBytes = 0, EvictionBytes = 0 };
            Dispose();
        }
    }

    /// <summary>Frees a block that a walk found, if it is of a table that was dropped. The caller is inside.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="address">The block.</param>
    /// <param name="upTo">Entries up to this version are of that table.</param>
    /// <returns><see langword="false"/> when it can't be an entry of the table.</returns>
    internal static bool FreeDropped(Pile pile, ulong address, ulong upTo)
    {
        EntryView view = pile.Entries.View(address);
        if (view.IsNone)
            return true;
        var head = new EntryHead(view.Payload);
        if (!head.FitsIn(view.PayloadBytes) || head.Version > upTo)
            return false;
        pile.Versions.Note(head.Version);
        Free(pile, address, OwnedPointer(head));
        return true;
    }

    private void FreeBucket(ulong number)
    {
        ThreadPresence presence = Pile.Gate.EnterToChange();
        try
        {
            for (Bucket* line = _index.At(number); line != null; line = _index.Next(line))
            {
                for (int slot = 0; slot < Bucket.SlotCount; slot++)
                {
                    IndexSlot value = Bucket.Load(line, slot);
                    if (!value.IsEmpty && TryViewSlotLocked(value, out EntryHead head, out _))
                        Free(Pile, value.Address, OwnedPointer(head));
                }
            }
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
    }

    private void FreeMarks()
    {
        ThreadPresence presence = Pile.Gate.EnterToChange();
        try
        {
            foreach (ulong mark in Tags.Addresses())
                Pile.Entries.Free(mark);
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
    }
}
