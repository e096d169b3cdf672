using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Access;

/// <summary>Replaces the payload of a pointer.</summary>
/// <remarks>
/// The cases, and what tells a reader that it has met one:
/// <code>
/// block    neither flushed nor leased, and the payload fits
///          written in place: sequence odd, payload, header, sequence even       the sequence: the header may be the same again
/// block    else
///          new block, then one store makes the header a link to it              the header
/// link     its target neither flushed nor leased, and the payload fits there
///          target written in place, under the sequence of the link's stripe     the sequence
/// link     else, or the payload fits the link's own slot again
///          new target, or own slot; header; then the old target is freed        the link's header, the target's generation and owner word
/// flushed  as "else"; its own header stays busy, the new one is a shadow header the shadow header, and the own header
/// </code>
/// A table's entry is never replaced so: its put swaps the index slot. What a kill leaves after
/// each store: Durability/crash/replace.md, replace-elsewhere.md and replace-flushed.md.
/// </remarks>
internal sealed unsafe class Replacer(BlockStore blocks)
{
    private readonly Allocator _allocator = blocks.Allocator; // slots for targets; statistics
    private readonly LeaseTable _leases = blocks.Leases; // asked while the block is busy: no lease can begin then

    /// <summary>Replaces a payload.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryReplace(PilePointer pointer, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        if (payload.Length > PileBuffer.MaxLengthBytes)
            PileBuffer.ThrowTooLong(payload.Length);
        var attempts = default(ReclaimAttempts);
        PileException? failure;
        do
        {
            var change = new BusyChange(blocks, pointer);
            try
            {
                if (!change.IsFound)
                    return false;
                if (TryReplaceLocked(ref change, payload, kind, out failure))
                    return true;
            }
            finally
            {
                change.Dispose();
            }
        }
        while (blocks.Reclaimer.TryReclaim(failure, ref attempts)); // outside of the scope: a flush waits for all writers
        throw failure;
    }

    /// <summary>Replaces the payload of a block that the caller has made busy; ends the busy state.</summary>
    /// <returns><see langword="false"/> if nothing was done.</returns>
    internal bool TryReplaceLocked(
        ref BusyChange change, ReadOnlySpan<byte> payload, BlockKind kind, [NotNullWhen(false)] out PileException? failure)
    {
        change.AssertHeld();
        Block origin = change.Origin;
        bool isFlushed = blocks.IsFlushed(origin);
        failure = null;
        if (isFlushed && !origin.IsShadowed && !blocks.HasShadowCapacity(out failure))
            return false; // before the first store
        if (!isFlushed && FitsInPlace(payload.Length, origin) && !_leases.IsLeased(origin.Address))
            WriteIntoOriginLocked(ref change, payload, kind);
        else if (origin.Header.Kind == BlockKind.Link)
            return TryWriteBehindLinkLocked(ref change, payload, kind, out failure);
        else
            return TryMoveToNewBlock(ref change, payload, kind, out failure);
        return true;
    }

    /// <summary>Writes a payload into the pointer's own block, and frees the target if that was a link.</summary>
    internal void WriteIntoOriginLocked(ref BusyChange change, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Block origin = change.Origin;
        Debug.Assert(FitsInPlace(payload.Length, origin), "The payload fits the block.");
        // While the block is busy: afterwards a deletion may free its page, and with it the page's counters.
        _allocator.AdjustPayload(origin.Address, origin.Info, payload.Length - origin.Header.PayloadBytes);
        var header = new BlockHeader(kind, origin.Header.Generation, (ulong)payload.Length);
        // A flushed link's own payload bytes mean nothing until its shadow header changes, which is one store: no redo is needed.
        bool isFlushed = blocks.IsFlushed(origin);
        // From here to EndRedo a kill leaves the new payload: recovery writes the record over the block. A kill before leaves the old
        // one.
        int redo = isFlushed ? 0 : BeginRedo(origin.Address, header, 0, payload, default);
        change.BeginWrite();
        if (Mutation.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
        CrashPoints.CopyHalf(payload, origin.Start + BlockHeader.SizeBytes, CrashPoint.ReplaceHalfOfPayload);
        payload.CopyTo(new Span<byte>(origin.Start + BlockHeader.SizeBytes, payload.Length));
        CrashPoints.Pass(CrashPoint.ReplaceBeforeHeader);
        // Checksum and header behind the payload; this store also ends the busy state.
        change.Publish(blocks.HeaderOf(origin.Start, kind, header.Generation, payload.Length, blocks.CapacityBytes(origin)));
        change.EndWrite();
        if (!isFlushed)
            EndRedo(redo); // last: from the header on the record says what is there already
        CrashPoints.Pass(CrashPoint.LinkBeforeOldTargetFreed);
        // The old target behind the new header: a kill in between leaves an orphan. The other order would leave a link to a free slot.
        if (!Mutation.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
    }

    /// <summary>Points a link to a new target with another payload, and frees the old target.</summary>
    internal bool TryRelink(
        ref BusyChange change, ReadOnlySpan<byte> payload, BlockKind kind, CrashPoint crashPoint, bool freesFirst,
        [NotNullWhen(false)] out PileException? failure)
    {
        Block origin = change.Origin;
        Debug.Assert(origin.Header.Kind == BlockKind.Link, "There is an old target.");
        if (freesFirst)
            blocks.FreeTarget(origin.Header);
        if (!TryTakeTarget(origin, payload, kind, out ulong target, out failure))
            return false;
        PointTo(ref change, target);
        CrashPoints.Pass(crashPoint);
        if (!freesFirst) // behind the link, as in WriteIntoOriginLocked
            blocks.FreeTarget(origin.Header);
        return true;
    }

    /// <summary>Whether a payload fits a block, and is small enough for the redo log.</summary>
    internal bool FitsInPlace(long payloadBytes, Block block)
    {
        long capacityBytes = blocks.CapacityBytes(block);
        bool fits = blocks.HasChecksums ? BlockChecksum.Fits(payloadBytes, capacityBytes) : payloadBytes <= capacityBytes;
        return fits && payloadBytes <= blocks.Redo.MaxPayloadBytes;
    }

    /// <summary>Logs what is about to overwrite a payload.</summary>
    internal int BeginRedo(ulong address, BlockHeader header, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second) =>
        Mutation.InPlaceWithoutRedo ? 0 : blocks.Redo.Begin(PileRegions.Current.Shard, address, header.Word, offsetBytes, first, second);

    /// <summary>Ends that record: the payload is written.</summary>
    internal void EndRedo(int index)
    {
        if (!Mutation.InPlaceWithoutRedo)
            blocks.Redo.End(index);
    }

    private bool TryWriteBehindLinkLocked(
        ref BusyChange change, ReadOnlySpan<byte> payload, BlockKind kind, [NotNullWhen(false)] out PileException? failure)
    {
        failure = null;
        Block origin = change.Origin;
        Block target = blocks.TargetOf(origin.Header);
        int lengthBytes = payload.Length + OwnerWord.SizeBytes;
        // The target decides: the link itself may be flushed, as it does not change.
        if (!FitsInPlace(lengthBytes, target) || _leases.IsLeased(target.Address) || blocks.IsFlushed(target))
            return TryRelink(ref change, payload, kind, CrashPoint.LinkBeforeOldTargetFreed, Mutation.TargetFreedFirst, out failure);
        _allocator.AdjustPayload(target.Address, target.Info, lengthBytes - target.Header.PayloadBytes);
        var header = new BlockHeader(BlockKind.LinkTarget, target.Header.Generation, (ulong)lengthBytes);
        ulong back = new OwnerWord(origin.Address, origin.Header.Generation, kind).Word;
        int redo = BeginRedo(target.Address, header, 0, MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in back)), payload);
        change.BeginWrite();
        CrashPoints.CopyHalf(payload, target.Start + BlockHeader.SizeBytes + OwnerWord.SizeBytes, CrashPoint.ReplaceHalfOfPayload);
        WriteTargetPayload(target.Start, back, payload);
        CrashPoints.Pass(CrashPoint.ReplaceBeforeHeader);
        target.Publish(
            blocks.HeaderOf(target.Start, BlockKind.LinkTarget, header.Generation, lengthBytes, blocks.CapacityBytes(target)));
        // The link is as it was: only its busy bit goes. A kill before leaves the bit, which recovery clears.
        change.PublishUnchanged();
        change.EndWrite();
        EndRedo(redo);
        return true;
    }

    private bool TryMoveToNewBlock(
        ref BusyChange change, ReadOnlySpan<byte> payload, BlockKind kind, [NotNullWhen(false)] out PileException? failure)
    {
        Block origin = change.Origin;
        Debug.Assert(origin.Header.Kind != BlockKind.Link, "One hop at most: a block that becomes a link is not one yet.");
        // The target is whole before the link leads to it: a kill in between leaves an orphan, and the old object.
        if (!TryTakeTarget(origin, payload, kind, out ulong target, out failure))
            return false;
        _allocator.AdjustPayload(origin.Address, origin.Info, -origin.Header.PayloadBytes);
        // A link needs 8 bytes of its run. Only in files, and only where neither a flush nor a lease needs the old payload.
        bool isToBeCut = blocks.Redo.OutlivesProcess && origin.Info.ClassPlusOne == 0 && !origin.IsShadowed
            && !blocks.IsFlushed(origin) && !_leases.IsLeased(origin.Address);
        PointTo(ref change, target);
        if (isToBeCut)
            CutRun(origin);
        return true;
    }

    /// <summary>Writes and publishes a link target; no link points to it yet.</summary>
    private bool TryTakeTarget(
        Block origin, ReadOnlySpan<byte> payload, BlockKind kind, out ulong address, [NotNullWhen(false)] out PileException? failure)
    {
        Debug.Assert(kind is not (BlockKind.Free or BlockKind.Link or BlockKind.LinkTarget), "The owner word keeps a payload's kind.");
        long lengthBytes = (long)payload.Length + OwnerWord.SizeBytes;
        Slot slot = blocks.TakeAnySlot(PileRegions.Current, lengthBytes, lengthBytes, out failure);
        address = slot.Address;
        if (failure != null)
            return false;
        WriteTargetPayload(slot.Start, new OwnerWord(origin.Address, origin.Header.Generation, kind).Word, payload);
        CrashPoints.Pass(CrashPoint.PutBeforeHeader);
        // No pointer names a target, so readers can't see it before the link's store.
        _ = blocks.Publish(slot, BlockKind.LinkTarget, payload.Length + OwnerWord.SizeBytes);
        blocks.CountLink();
        CrashPoints.Pass(CrashPoint.LinkBeforeSwap);
        return true;
    }

    private void PointTo(ref BusyChange change, ulong targetAddress)
    {
        Block origin = change.Origin;
        var link = new BlockHeader(BlockKind.Link, origin.Header.Generation, targetAddress);
        Debug.Assert(blocks.TargetOf(link).Header.Kind == BlockKind.LinkTarget, "The target is valid before the link points to it.");
        Debug.Assert(BlockStore.OwnerWordOf(blocks.TargetOf(link)).LinkAddress == origin.Address, "The owner word names the link.");
        change.Publish(link);
    }

    private static void WriteTargetPayload(byte* start, ulong back, ReadOnlySpan<byte> payload)
    {
        *(ulong*)(start + BlockHeader.SizeBytes) = back;
        payload.CopyTo(new Span<byte>(start + BlockHeader.SizeBytes + OwnerWord.SizeBytes, payload.Length));
    }

    // The block is a link by now. Only this thread cuts its run, unless it was deleted in between: then the whole run is gone.
    private void CutRun(Block origin)
    {
        var pointer = new PilePointer(origin.Address, origin.Header.Generation);
        if (!blocks.TryMakeBusy(pointer, out Block link)) // busy: a deletion must not return the run meanwhile
            return;
        if (link.Header.Kind == BlockKind.Link)
            _allocator.CutRun(origin.Address);
        link.Publish(link.Header);
    }
}
