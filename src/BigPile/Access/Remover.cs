using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Access;

/// <summary>Deletes objects: first the header, then the target of a link, then the slot.</summary>
/// <remarks>What a kill leaves after each store: Durability/crash/delete.md.</remarks>
internal sealed unsafe class Remover(BlockStore blocks)
{
    private readonly SegmentMap _map = blocks.Map; // memory, page info and metadata by address
    private readonly Allocator _allocator = blocks.Allocator; // takes slots back
    private readonly LeaseTable _leases = blocks.Leases; // which blocks keep their slots

    /// <summary>Deletes an object.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryRemove(PilePointer pointer)
    {
        var attempts = default(ReclaimAttempts);
        PileException? failure;
        do
        {
            blocks.EnsureShadowCapacity();
            using ChangeScope scope = blocks.EnterWriter();
            if (TryFreePlain(pointer))
                return true;
            bool found = TryFree(pointer, usesReserve: false, out failure);
            if (failure == null)
                return found;
        }
        while (blocks.Reclaimer.TryReclaim(failure, ref attempts, evicts: false)); // a flush empties the shadow header table
        throw failure;
    }

    /// <summary>Frees a plain block: in a slot, not busy, and not a link.</summary>
    /// <returns><see langword="false"/> if there is none, it is not plain, or another thread is changing it: nothing was done.</returns>
    // not inlined: in the caller's loop it would exhaust the inlining budget
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool TryFreePlain(PilePointer pointer)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "A block that was found stays only during the critical region.");
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
        // Whether the block is flushed may be asked before the swap: it does not change while the block lives, and else the swap fails.
        BlockHeader freed = blocks.HeaderOfFreed(page, (int)slot, header);
        // Of several threads one deletes the object: that whose swap succeeds.
        if (!BlockTransitions.TrySwap((ulong*)start, header, freed))
            return false;
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        if (_leases.IsAny) // behind the swap: a lease that began before it is counted by now
            blocks.FreeBlock(new Block(start, (ulong*)start, address, header, info));
        else
            _allocator.ReturnSlot(page, (int)slot, freed.Generation, header.OwnPayloadBytes);
        return true;
    }

    /// <summary>Frees any object.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="usesReserve">Whether the last shadow headers may be used.</param>
    /// <param name="failure">Why nothing was done: there is no shadow header left.</param>
    /// <returns><see langword="false"/> if there is none, or on failure.</returns>
    internal bool TryFree(PilePointer pointer, bool usesReserve, out PileException? failure)
    {
        bool found = TryUnpublish(pointer, usesReserve, out Block block, out failure);
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        if (found)
            blocks.FreeBlock(block);
        return found;
    }

    /// <summary>Whether a deletion needs a shadow header of its own, of which none is left.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool NeedsShadowHeader(PilePointer pointer, [NotNullWhen(true)] out PileException? failure)
    {
        failure = null;
        if (!blocks.TryLocate(pointer, out Block block, refusesEntries: false) || block.IsShadowed || !IsFlushedLink(block))
            return false; // no flush runs during the region, so it stays so, or gets a shadow header
        failure = blocks.ShadowTableFull();
        return true;
    }

    // The swap decides which thread deletes the object. Whether the block is flushed can be asked before: that does not change while it
    // lives, and if it died the swap fails.
    private bool TryUnpublish(PilePointer pointer, bool usesReserve, out Block block, out PileException? failure)
    {
        failure = null;
        var spinner = default(SpinWait);
        while (blocks.TryLocate(pointer, out block))
        {
            if (block.IsShadowed || IsFlushedLink(block))
            {
                // Before the block is busy: nothing may fail then. Until this region ends it stays shadowed once it is.
                if (!block.IsShadowed && !blocks.HasShadowCapacity(out failure, usesReserve))
                    return false;
                // These store into the shadow header table, whose entry is not the caller's until the block is busy.
                return TryUnpublishShadowed(pointer, out block);
            }
            if (!block.Header.IsBusy && block.TrySwap(blocks.FreedHeader(block)))
            {
                FreeTargetOf(block);
                return true;
            }
            spinner.SpinOnce(sleep1Threshold: -1);
        }
        return false;
    }

    // Made busy first, and kept so as long as it has a shadow header.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryUnpublishShadowed(PilePointer pointer, out Block block)
    {
        if (!blocks.TryMakeBusy(pointer, out block))
            return false;
        SetFreed(block);
        FreeTargetOf(block);
        return true;
    }

    // After the link: a kill in between leaves a target that recovery finds by its owner word.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void FreeTargetOf(Block origin)
    {
        CrashPoints.Pass(CrashPoint.DeleteBeforeTargetFreed);
        if (origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
    }

    // A link's free header can't be undone.
    private bool IsFlushedLink(Block block) => block.Header.Kind == BlockKind.Link && blocks.IsFlushed(block);

    private void SetFreed(Block block)
    {
        Debug.Assert(block.OwnHeader.IsBusy && !block.Header.IsBusy, "The caller has made the block busy.");
        if (!block.IsShadowed && (block.Header.CanBeUndone || !blocks.IsFlushed(block)))
            block.Publish(blocks.FreedHeader(block)); // one word: free, or undoable with what was flushed
        else
            blocks.SetHeader(block, block.Header.Freed);
    }
}
