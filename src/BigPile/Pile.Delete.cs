using System.Threading;
using BigPile.Blocks;
using BigPile.Concurrency;

namespace BigPile;

/// <summary>Deleting objects.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>Deletes an object. The pointer, and every copy of it, names nothing from now on.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="System.ObjectDisposedException">The pile is closed.</exception>
    public void Delete(PilePointer pointer)
    {
        if (!TryDelete(pointer))
            Throw.NoSuchObject(pointer);
    }

    /// <summary>Deletes an object, if the pointer still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="System.ObjectDisposedException">The pile is closed.</exception>
    public bool TryDelete(PilePointer pointer) => TryDelete(pointer, flushes: 0);

    private bool TryDelete(PilePointer pointer, int flushes)
    {
        MakeRoomToMove();
        ThreadPresence presence = EnterToChange();
        try
        {
            bool found = TryUnpublish(pointer, out Block block);
            KillPoint.Pass(KillWindow.FreedBeforeReturned);
            if (found)
                FreeBlock(block.Address, block.Header);
            return found;
        }
        catch (PileFullException) when (CanMakeRoom(presence, flushes))
        {
            // there will be room once what was moved is settled
        }
        finally
        {
            ExitAfterFree(presence);
        }
        return TryDelete(pointer, MakeRoom(flushes));
    }

    // The header is the lock: whoever swaps it from live to free has deleted the object, and nobody else can.
    private bool TryUnpublish(PilePointer pointer, out Block block, bool usesReserve = false)
    {
        if (_log != null)
            return TryUnpublishMapped(pointer, out block, usesReserve);
        var spinner = default(SpinWait);
        while (TryLocate(pointer, out block))
        {
            if (!block.Header.IsBusy && block.TrySwap(block.Header.Freed))
            {
                KillPoint.Pass(KillWindow.DeleteBeforeTargetFreed);
                if (block.Header.Kind == BlockKind.Link)
                    FreeTarget(block.Header); // after the origin: a kill between leaves a target that recovery finds by its back word
                return true;
            }
            spinner.SpinOnce(sleep1Threshold: -1);
        }
        return false;
    }

    // Busy first: what the allocator knows of a block may be looked at only while nobody else can free it.
    private bool TryUnpublishMapped(PilePointer pointer, out Block block, bool usesReserve)
    {
        if (!TryMakeBusy(pointer, out block))
            return false;
        SetFreed(block, usesReserve);
        KillPoint.Pass(KillWindow.DeleteBeforeTargetFreed);
        if (block.Header.Kind == BlockKind.Link)
            FreeTarget(block.Header);
        return true;
    }

    private void SetFreed(Block block, bool usesReserve)
    {
        if (!block.IsMoved && (block.Header.CanBeUndone || !_allocator.IsFrozen(block.Address, block.Info)))
        {
            block.Publish(FreedHeader(block));
            return;
        }
        try
        {
            if (!block.IsMoved)
                CheckMovedRoom(usesReserve);
            SetHeader(block, block.Header.Freed);
        }
        catch
        {
            block.Publish(block.Header);
            throw;
        }
    }

    /// <summary>The header of a block's slot once it is free. What was flushed can be had back until the next flush.</summary>
    private BlockHeader FreedHeader(Block block) =>
        block.Header.CanBeUndone && _allocator.IsFrozen(block.Address, block.Info)
            ? block.Header.UndoableFree(CapacityBytes(block), Volatile.Read(ref _freeEpoch))
            : block.Header.Freed;
}
