using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Ends objects: header first, then the target of a link, then the room.</summary>
/// <remarks>
/// The header is the lock: whoever swaps it from live to free has deleted the object, and nobody else can. What a kill leaves behind each
/// store: CRASH.md, the rows "delete".
/// </remarks>
internal sealed unsafe class Remover(BlockStore blocks)
{
    private readonly OperationBarrier _barrier = blocks.Barrier;
    private readonly SegmentMap _map = blocks.Map;
    private readonly Allocator _allocator = blocks.Allocator;
    private readonly LeaseTable _leases = blocks.Leases;

    /// <summary>Ends an object.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryRemove(PilePointer pointer, int attempt = 0)
    {
        blocks.EnsureShadowCapacity();
        CriticalRegion critical = _barrier.EnterWriter();
        try
        {
            return TryFreePlain(pointer) || TryFree(pointer);
        }
        catch (PileFullException e) when (blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // there will be room once what was moved is settled
        }
        finally
        {
            blocks.ExitAfterFree(critical);
        }
        return TryRemove(pointer, blocks.Reclaimer.Reclaim(attempt));
    }

    /// <summary>Frees a block of the usual sort: in a slot, whole, and not a link.</summary>
    /// <returns><see langword="false"/> when there is none, or another sort, or somebody is at work on it: nothing was done.</returns>
    // the caller's loop would get all of it, and then the compiler inlines nothing in it any more
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool TryFreePlain(PilePointer pointer)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "What is found stays only while the caller is inside.");
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
        BlockHeader freed = blocks.HeaderOfFreed(page, (int)slot, header);
        if (Interlocked.CompareExchange(ref *(ulong*)start, freed.Word, header.Word) != header.Word)
            return false;
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        if (_leases.IsAny)
            blocks.FreeBlock(new Block(start, (ulong*)start, address, header, info));
        else
            _allocator.ReturnSlot(page, (int)slot, freed.Generation, header.OwnPayloadBytes);
        return true;
    }

    internal bool TryFree(PilePointer pointer, bool usesReserve = false)
    {
        bool found = TryUnpublish(pointer, out Block block, usesReserve);
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        if (found)
            blocks.FreeBlock(block);
        return found;
    }

    // The header is the lock: whoever swaps it from live to free has deleted the object, and nobody else can. Whether it is frozen is asked
    // before: that does not change while the block lives, and when it does not live on, the swap fails.
    private bool TryUnpublish(PilePointer pointer, out Block block, bool usesReserve = false)
    {
        var spinner = default(SpinWait);
        while (blocks.TryLocate(pointer, out block))
        {
            if (block.IsShadowed || IsFlushedLink(block))
                return TryUnpublishShadowed(pointer, out block, usesReserve);
            if (!block.Header.IsBusy && block.TrySwap(blocks.FreedHeader(block)))
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
    private bool TryUnpublishShadowed(PilePointer pointer, out Block block, bool usesReserve)
    {
        if (!blocks.TryMakeBusy(pointer, out block))
            return false;
        SetFreed(block, usesReserve);
        FreeTargetOf(block);
        return true;
    }

    // After the origin: a kill between leaves a target that recovery finds by its back word.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void FreeTargetOf(Block origin)
    {
        CrashPoints.Pass(CrashPoint.DeleteBeforeTargetFreed);
        if (origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
    }

    // Nothing can be had back from the free header of a link.
    private bool IsFlushedLink(Block block) => block.Header.Kind == BlockKind.Link && blocks.IsFlushed(block);

    private void SetFreed(Block block, bool usesReserve)
    {
        Debug.Assert(block.OwnHeader.IsBusy && !block.Header.IsBusy, "The block became busy by the caller's own hand.");
        if (!block.IsShadowed && (block.Header.CanBeUndone || !blocks.IsFlushed(block)))
        {
            block.Publish(blocks.FreedHeader(block));
            return;
        }
        try
        {
            if (!block.IsShadowed)
                blocks.CheckShadowCapacity(usesReserve);
            blocks.SetHeader(block, block.Header.Freed);
        }
        catch
        {
            block.Publish(block.Header);
            throw;
        }
    }
}
