using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Ending blocks, and replacing the header that counts.</summary>
/// <remarks>
/// What was flushed stays as it is until a later flush has ended: see <see cref="Durability.ShadowHeaderTable"/> for headers, and
/// <see cref="PendingFrees"/> for room. Blocks of which that is true are called frozen.
/// </remarks>
internal sealed unsafe partial class BlockStore
{
    /// <summary>Replaces the header that counts by one store. The block is the caller's alone, and busy.</summary>
    internal void SetHeader(Block block, BlockHeader header)
    {
        Debug.Assert(block.OwnHeader.IsBusy && !block.Header.IsBusy, "The block became busy by the caller's own hand.");
        Debug.Assert(header.IsFree || header.Generation == block.Header.Generation, "A block keeps its generation while it lives.");
        if (block.IsShadowed || !IsFlushed(block))
        {
            block.Publish(header);
            return;
        }
        _shadowHeaders.Add(block.Address, block.Header.Generation, header);
        _shadowHeaders.CountInPlace(header.PayloadBytes);
        if (_shadowHeaders.IsHalfFull)
            Reclaimer.RequestFlush();
    }

    /// <summary>Refuses a change for which there would be no place in the table of moved blocks; before anything is changed.</summary>
    /// <remarks>
    /// What a table frees under its lock can't wait for a flush, nor fail: the last places are for that, and before each of its calls
    /// there is room in four of sixteen.
    /// </remarks>
    internal void CheckShadowCapacity(bool usesReserve = false)
    {
        int events = _reclaimEvents.Read();
        if (usesReserve ? _shadowHeaders.IsExhausted : _shadowHeaders.IsFull)
            ThrowShadowTableFull(events);
    }

    private void ThrowShadowTableFull(int events) => throw new PileFullException(
        $"{_shadowHeaders.Count:N0} objects that were flushed have been moved since, and there is room for no more. Flush the pile.")
    {
        ObservedEvents = events,
    };

    /// <summary>Whether what was flushed of a block must stay as it is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsFlushed(in Block block) => _allocator.IsFlushed(block.Address, block.Info);

    /// <summary>Notes that a link target is there.</summary>
    internal void CountLink() => Interlocked.Increment(ref _linkCount);

    /// <summary>Frees the target of a link that leads to it no more.</summary>
    internal void FreeTarget(BlockHeader link)
    {
        Block target = TargetOf(link);
        Debug.Assert(target.Header.Kind == BlockKind.LinkTarget, "A link leads to a link target.");
        target.Publish(FreedHeader(target));
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        FreeBlock(target);
        Interlocked.Decrement(ref _linkCount);
    }

    /// <summary>Gives back the room of a block whose header says free, now or when its last lease ends.</summary>
    /// <param name="block">The block as it was while it was live.</param>
    internal void FreeBlock(in Block block)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "Whoever frees is inside: its memory is given back to nobody meanwhile.");
        Debug.Assert(block.OwnHeader.IsFree || block.OwnHeader.IsBusy, "The header says free, or elsewhere, before the room is anybody's.");
        if (!_leases.TryDefer(block.Address, block.Header))
        {
            _allocator.Return(block.Address, block.Info, block.Header);
            return;
        }
        _allocator.MarkDirty(block.Address); // that it is free is to be durable with the next flush, and not when its room is given back
        if (block.OwnHeader.IsUndoableFree)
            _allocator.AddDeferred(block.Address);
    }

    /// <summary>The header of a slot once its block, which is no link, is free. What was flushed can be had back.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader HeaderOfFreed(PageMeta* page, int slot, BlockHeader header)
    {
        Debug.Assert(!header.IsFree && header.Kind != BlockKind.Link, "What ends here is live, and has its payload with it.");
        return page->IsFlushed(slot)
            ? header.UndoableFree(page->SlotBytes - BlockHeader.SizeBytes, Volatile.Read(ref _freeEpoch))
            : header.Freed;
    }

    /// <summary>The header of a block's slot once it is free. What was flushed can be had back until the next flush.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader FreedHeader(in Block block)
    {
        Debug.Assert(!block.Header.IsFree, "What ends was live: a block is freed once.");
        if (!IsFlushed(block) || !block.Header.CanBeUndone)
            return block.Header.Freed;
        long capacityBytes = block.Header.HasInlineChecksum ? CapacityBytes(block) : 0;
        return block.Header.UndoableFree(capacityBytes, Volatile.Read(ref _freeEpoch));
    }
}
