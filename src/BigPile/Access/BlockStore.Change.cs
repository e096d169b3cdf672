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

/// <summary>Freeing blocks, and replacing their current header.</summary>
/// <remarks>
/// A flushed block is copy-on-write: its bytes stay until a later flush is durable. Its current header moves to
/// <see cref="Durability.ShadowHeaderTable"/>, its freed slot waits in <see cref="PendingFrees"/>.
/// </remarks>
internal sealed unsafe partial class BlockStore
{
    /// <summary>Replaces the current header by one store. The caller has made the block busy.</summary>
    internal void SetHeader(Block block, BlockHeader header)
    {
        Debug.Assert(block.OwnHeader.IsBusy && !block.Header.IsBusy, "The caller has made the block busy.");
        Debug.Assert(BlockTransitions.IsLegal(block.Header.Busy, header), "The current header goes on in its shadow header.");
        if (block.IsShadowed || !IsFlushed(block))
        {
            block.Publish(header);
            return;
        }
        // The own header stays as it was flushed, but busy. From here on the entry is the current header.
        _shadowHeaders.Add(block.Address, block.Header.Generation, header);
        _shadowHeaders.CountInPlace(header.PayloadBytes);
        if (_shadowHeaders.IsHalfFull)
            Reclaimer.RequestFlush(); // in the background: this thread is in a critical region
    }

    /// <summary>Whether the shadow header table has space for a change; asked before anything is changed.</summary>
    /// <remarks>
    /// What a table frees under its lock can neither wait for a flush nor fail: the last entries are reserved for that. Before each such
    /// call <see cref="EnsureShadowCapacity"/> has kept a quarter of the table free.
    /// </remarks>
    internal bool HasShadowCapacity([NotNullWhen(false)] out PileException? failure, bool usesReserve = false)
    {
        int events = _allocator.TransferEvents.Read(); // before the check: a flush that ends in between is noticed by TryReclaim
        bool isFull = usesReserve ? _shadowHeaders.IsExhausted : _shadowHeaders.IsFull;
        failure = isFull ? ShadowTableFull(events) : null;
        return !isFull;
    }

    /// <summary>The failure of a change for which the shadow header table has no space.</summary>
    internal PileFullException ShadowTableFull() => ShadowTableFull(_allocator.TransferEvents.Read());

    private PileFullException ShadowTableFull(int events) =>
        new($"{_shadowHeaders.Count:N0} flushed objects were replaced since the last flush, and no more can be. Flush the pile.")
        {
            ObservedEvents = events,
        };

    /// <summary>Whether a block is flushed, and so copy-on-write.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsFlushed(in Block block) => _allocator.IsFlushed(block.Address, block.Info);

    /// <summary>Counts a new link target.</summary>
    internal void CountLink() => Interlocked.Increment(ref _linkCount);

    /// <summary>Frees the target of a link that no longer points to it.</summary>
    internal void FreeTarget(BlockHeader link)
    {
        Block target = TargetOf(link);
        Debug.Assert(target.Header.Kind == BlockKind.LinkTarget, "A link leads to a link target.");
        // The header first: a kill before the slot is returned leaves a free slot, which recovery finds.
        target.Publish(FreedHeader(target));
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        FreeBlock(target);
        Interlocked.Decrement(ref _linkCount);
    }

    /// <summary>Returns the slot of a block whose header says free, now or when its last lease ends.</summary>
    /// <param name="block">The block as it was while it was live.</param>
    internal void FreeBlock(in Block block)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the block's memory mapped.");
        Debug.Assert(block.OwnHeader.IsFree || block.OwnHeader.IsBusy, "The current header says free before the slot is reused.");
        // Behind the free header's store: a lease is registered while its block is busy, so any lease is found here, and no new one can
        // begin.
        if (!_leases.TryDefer(block.Address, block.Header))
        {
            _allocator.Return(block.Address, block.Info, block.Header);
            return;
        }
        if (block.OwnHeader.IsUndoableFree)
            _allocator.AddDeferred(block.Address); // the next flush makes the deletion durable, though the lease keeps the slot
    }

    /// <summary>The free header of a slot whose block, not a link, was deleted: undoable if the block is flushed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader HeaderOfFreed(PageMeta* page, int slot, BlockHeader header)
    {
        Debug.Assert(!header.IsFree && header.Kind != BlockKind.Link, "The block is live, and no link.");
        return page->IsFlushed(slot, _allocator.LastSnapshot) // of a live block it changes only while writers are blocked
            ? header.UndoableFree(page->SlotBytes - BlockHeader.SizeBytes, Volatile.Read(ref _freeEpoch))
            : header.Freed;
    }

    /// <summary>The free header of a block: undoable until the next flush if the block is flushed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader FreedHeader(in Block block)
    {
        Debug.Assert(!block.Header.IsFree, "A block is freed once.");
        if (!IsFlushed(block) || !block.Header.CanBeUndone)
            return block.Header.Freed;
        long capacityBytes = block.Header.HasInlineChecksum ? CapacityBytes(block) : 0; // the other form stores the length itself
        return block.Header.UndoableFree(capacityBytes, Volatile.Read(ref _freeEpoch));
    }
}
