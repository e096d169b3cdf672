using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

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
            return TryFreePlain(pointer) || TryFree(pointer);
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

    /// <summary>Frees a block of the usual sort: in a slot, whole, and not a link.</summary>
    /// <returns><see langword="false"/> when there is none, or another sort, or somebody is at work on it: nothing was done.</returns>
    // the caller's loop would get all of it, and then the compiler inlines nothing in it any more
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryFreePlain(PilePointer pointer)
    {
        ulong address = pointer.Address;
        byte* start = _map.Find(address, out PageInfo* infoAt);
        if (start == null)
            return false;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)start));
        PageInfo info = SegmentMap.Load(infoAt);
        uint slot = info.SlotAt(address);
        if (header.Generation != pointer.Generation || !header.IsPlain || slot >= (uint)info.SlotCount || info.ClassPlusOne == 0)
            return false;
        PageMeta* page = _map.MetaOf(address);
        BlockHeader freed = HeaderOfFreed(page, (int)slot, header);
        if (Interlocked.CompareExchange(ref *(ulong*)start, freed.Word, header.Word) != header.Word)
            return false;
        KillPoint.Pass(KillWindow.FreedBeforeReturned);
        if (_leases.IsAny)
            FreeBlock(new Block(start, (ulong*)start, address, header, info));
        else
            _allocator.ReturnSlot(page, (int)slot, freed.Generation, header.OwnPayloadBytes);
        return true;
    }

    private bool TryFree(PilePointer pointer, bool usesReserve = false)
    {
        bool found = TryUnpublish(pointer, out Block block, usesReserve);
        KillPoint.Pass(KillWindow.FreedBeforeReturned);
        if (found)
            FreeBlock(block);
        return found;
    }

    // The header is the lock: whoever swaps it from live to free has deleted the object, and nobody else can. Whether it is frozen is asked
    // before: that does not change while the block lives, and when it does not live on, the swap fails.
    private bool TryUnpublish(PilePointer pointer, out Block block, bool usesReserve = false)
    {
        var spinner = default(SpinWait);
        while (TryLocate(pointer, out block))
        {
            if (block.IsMoved || IsFrozenLink(block))
                return TryUnpublishByTable(pointer, out block, usesReserve);
            if (!block.Header.IsBusy && block.TrySwap(FreedHeader(block)))
            {
                FreeTargetOf(block);
                return true;
            }
            spinner.SpinOnce(sleep1Threshold: -1);
        }
        return false;
    }

    // Busy first, and for as long as the header that counts is in the table.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryUnpublishByTable(PilePointer pointer, out Block block, bool usesReserve)
    {
        if (!TryMakeBusy(pointer, out block))
            return false;
        SetFreed(block, usesReserve);
        FreeTargetOf(block);
        return true;
    }

    // After the origin: a kill between leaves a target that recovery finds by its back word.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void FreeTargetOf(Block origin)
    {
        KillPoint.Pass(KillWindow.DeleteBeforeTargetFreed);
        if (origin.Header.Kind == BlockKind.Link)
            FreeTarget(origin.Header);
    }

    // Nothing can be had back from the free header of a link.
    private bool IsFrozenLink(Block block) => block.Header.Kind == BlockKind.Link && _allocator.IsFrozen(block.Address, block.Info);

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

    // Of a live block that can be undone: not of a link.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BlockHeader HeaderOfFreed(PageMeta* page, int slot, BlockHeader header) =>
        page->IsFrozen(slot) ? header.UndoableFree(page->SlotBytes - BlockHeader.SizeBytes, Volatile.Read(ref _freeEpoch)) : header.Freed;

    /// <summary>The header of a block's slot once it is free. What was flushed can be had back until the next flush.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BlockHeader FreedHeader(in Block block)
    {
        if (!_allocator.IsFrozen(block.Address, block.Info) || !block.Header.CanBeUndone)
            return block.Header.Freed;
        long capacityBytes = block.Header.IsShortForm ? CapacityBytes(block) : 0;
        return block.Header.UndoableFree(capacityBytes, Volatile.Read(ref _freeEpoch));
    }
}
