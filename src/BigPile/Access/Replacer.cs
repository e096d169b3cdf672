using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

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
/// A table's entry is never replaced so: its put swaps the index slot. Lock order: the stripe, then the busy bit. What a kill leaves after
/// each store: CRASH.md, the rows "replace" and "write of a part".
/// </remarks>
internal sealed unsafe class Replacer(BlockStore blocks)
{
    private readonly Allocator _allocator = blocks.Allocator; // slots for targets; statistics; dirty lists
    private readonly LeaseTable _leases = blocks.Leases; // asked while the block is busy: no lease can begin then

    /// <summary>Replaces a payload.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryReplace(PilePointer pointer, ReadOnlySpan<byte> payload, BlockKind kind, int attempt = 0)
    {
        if (payload.Length > PileBuffer.MaxLengthBytes)
            PileBuffer.ThrowTooLong(payload.Length);
        blocks.EnsureShadowCapacity();
        CriticalRegion critical = blocks.Barrier.EnterWriter();
        SeqLockStripes.Stripe* stripe = blocks.Stripes.Of(pointer.Address);
        stripe->Lock.Enter(); // keeps other replacements away from the sequence
        try
        {
            if (!blocks.TryMakeBusy(pointer, out Block origin)) // keeps deletions, leases and moves away
                return false;
            try
            {
                ReplaceBusyLocked(stripe, origin, payload, kind);
                _allocator.MarkDirty(origin.Address); // behind the change is early enough: no flush captures before this region ends
            }
            catch
            {
                origin.Publish(origin.Header); // no memory for a target, or no space for a shadow header: the old payload is untouched
                throw;
            }
            return true;
        }
        catch (PileFullException e) when (blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // reclaimed below, outside the critical region: a flush waits for all writers
        }
        finally
        {
            stripe->Lock.Exit();
            blocks.ExitAfterFree(critical);
        }
        return TryReplace(pointer, payload, kind, blocks.Reclaimer.Reclaim(attempt));
    }

    /// <summary>Replaces the payload of a block that the caller has made busy; ends the busy state.</summary>
    internal void ReplaceBusyLocked(SeqLockStripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert((stripe->Lock.Sequence & 1) == 0, "The lock of the stripe keeps other replacements away from its sequence.");
        Debug.Assert(origin.OwnHeader.IsBusy, "A deletion can't come between.");
        bool isFlushed = blocks.IsFlushed(origin);
        if (isFlushed && !origin.IsShadowed)
            blocks.CheckShadowCapacity(); // before the first store: it may throw
        if (!isFlushed && FitsInPlace(payload.Length, origin) && !_leases.IsLeased(origin.Address))
            WriteIntoOriginLocked(stripe, origin, payload, kind);
        else if (origin.Header.Kind == BlockKind.Link)
            WriteBehindLinkLocked(stripe, origin, payload, kind);
        else
            MoveToNewBlock(origin, payload, kind);
    }

    /// <summary>Writes a payload into the pointer's own block, and frees the target if that was a link.</summary>
    internal void WriteIntoOriginLocked(SeqLockStripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert(FitsInPlace(payload.Length, origin), "The payload fits the block.");
        // While the block is busy: afterwards a deletion may free its page, and with it the page's counters.
        _allocator.AdjustPayload(origin.Address, origin.Info, payload.Length - origin.Header.PayloadBytes);
        var header = new BlockHeader(kind, origin.Header.Generation, (ulong)payload.Length);
        // A flushed link's own payload bytes mean nothing until its shadow header changes, which is one store: no redo is needed.
        bool isFlushed = blocks.IsFlushed(origin);
        // From here to EndRedo a kill leaves the new payload: recovery writes the record over the block. A kill before leaves the old
        // one.
        int redo = isFlushed ? 0 : BeginRedo(origin.Address, header, 0, payload, default);
        stripe->BeginChangeLocked(origin.Address); // odd: readers start over
        Debug.Assert((stripe->Lock.Sequence & 1) != 0 && stripe->Address == origin.Address, "Readers know before the first byte changes.");
        if (Mutation.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
        CrashPoints.CopyHalf(payload, origin.Start + BlockHeader.SizeBytes, CrashPoint.ReplaceHalfOfPayload);
        payload.CopyTo(new Span<byte>(origin.Start + BlockHeader.SizeBytes, payload.Length));
        CrashPoints.Pass(CrashPoint.ReplaceBeforeHeader);
        // Checksum and header behind the payload; this store also ends the busy state.
        blocks.SetHeader(origin, blocks.HeaderOf(origin.Start, kind, header.Generation, payload.Length, blocks.CapacityBytes(origin)));
        stripe->EndChangeLocked(); // release: who sees the even sequence sees payload and header
        if (!isFlushed)
            EndRedo(redo); // last: from the header on the record says what is there already
        CrashPoints.Pass(CrashPoint.LinkBeforeOldTargetFreed);
        // The old target behind the new header: a kill in between leaves an orphan. The other order would leave a link to a free slot.
        if (!Mutation.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
    }

    /// <summary>Points a link to a new target with another payload, and frees the old target.</summary>
    internal void Relink(Block origin, ReadOnlySpan<byte> payload, BlockKind kind, CrashPoint crashPoint, bool freesFirst)
    {
        Debug.Assert(origin.Header.Kind == BlockKind.Link, "There is an old target.");
        if (freesFirst)
            blocks.FreeTarget(origin.Header);
        PointTo(origin, TakeTarget(origin, payload, kind)); // throws only in TakeTarget, before the link changes
        CrashPoints.Pass(crashPoint);
        if (!freesFirst) // behind the link, as in WriteIntoOriginLocked
            blocks.FreeTarget(origin.Header);
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

    private void WriteBehindLinkLocked(SeqLockStripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Block target = blocks.TargetOf(origin.Header);
        int lengthBytes = payload.Length + OwnerWord.SizeBytes;
        // The target decides: the link itself may be flushed, as it does not change.
        if (!FitsInPlace(lengthBytes, target) || _leases.IsLeased(target.Address) || blocks.IsFlushed(target))
        {
            Relink(origin, payload, kind, CrashPoint.LinkBeforeOldTargetFreed, Mutation.TargetFreedFirst);
            return;
        }
        _allocator.AdjustPayload(target.Address, target.Info, lengthBytes - target.Header.PayloadBytes);
        var header = new BlockHeader(BlockKind.LinkTarget, target.Header.Generation, (ulong)lengthBytes);
        ulong back = new OwnerWord(origin.Address, origin.Header.Generation, kind).Word;
        int redo = BeginRedo(target.Address, header, 0, MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in back)), payload);
        stripe->BeginChangeLocked(origin.Address); // the pointer's stripe: readers do not know the target's
        Debug.Assert((stripe->Lock.Sequence & 1) != 0 && stripe->Address == origin.Address, "Readers know before the first byte changes.");
        CrashPoints.CopyHalf(payload, target.Start + BlockHeader.SizeBytes + OwnerWord.SizeBytes, CrashPoint.ReplaceHalfOfPayload);
        WriteTargetPayload(target.Start, back, payload);
        CrashPoints.Pass(CrashPoint.ReplaceBeforeHeader);
        target.Publish(
            blocks.HeaderOf(target.Start, BlockKind.LinkTarget, header.Generation, lengthBytes, blocks.CapacityBytes(target)));
        // The link is as it was: only its busy bit goes. A kill before leaves the bit, which recovery clears.
        origin.Publish(origin.Header);
        stripe->EndChangeLocked();
        EndRedo(redo);
        _allocator.MarkDirty(target.Address); // the caller adds the link
    }

    private void MoveToNewBlock(Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert(origin.Header.Kind != BlockKind.Link, "One hop at most: a block that becomes a link is not one yet.");
        // The target is whole before the link leads to it: a kill in between leaves an orphan, and the old object.
        ulong target = TakeTarget(origin, payload, kind);
        _allocator.AdjustPayload(origin.Address, origin.Info, -origin.Header.PayloadBytes);
        // A link needs 8 bytes of its run. Only in files, and only where neither a flush nor a lease needs the old payload.
        bool isToBeCut = blocks.Redo.OutlivesProcess && origin.Info.ClassPlusOne == 0 && !origin.IsShadowed
            && !blocks.IsFlushed(origin) && !_leases.IsLeased(origin.Address);
        if (isToBeCut)
            _allocator.MarkDirty(origin.Address);
        PointTo(origin, target);
        if (isToBeCut)
            CutRun(origin);
    }

    /// <summary>Writes and publishes a link target; no link points to it yet.</summary>
    private ulong TakeTarget(Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert(kind is not (BlockKind.Free or BlockKind.Link or BlockKind.LinkTarget), "The owner word keeps a payload's kind.");
        long lengthBytes = (long)payload.Length + OwnerWord.SizeBytes;
        Slot slot = blocks.TakeAnySlot(lengthBytes, lengthBytes);
        WriteTargetPayload(slot.Start, new OwnerWord(origin.Address, origin.Header.Generation, kind).Word, payload);
        CrashPoints.Pass(CrashPoint.PutBeforeHeader);
        // No pointer names a target, so readers can't see it before the link's store.
        _ = blocks.Publish(slot, BlockKind.LinkTarget, payload.Length + OwnerWord.SizeBytes);
        blocks.CountLink();
        CrashPoints.Pass(CrashPoint.LinkBeforeSwap);
        return slot.Address;
    }

    private void PointTo(Block origin, ulong targetAddress)
    {
        var link = new BlockHeader(BlockKind.Link, origin.Header.Generation, targetAddress);
        Debug.Assert(blocks.TargetOf(link).Header.Kind == BlockKind.LinkTarget, "The target is valid before the link points to it.");
        Debug.Assert(BlockStore.OwnerWordOf(blocks.TargetOf(link)).LinkAddress == origin.Address, "The owner word names the link.");
        blocks.SetHeader(origin, link);
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
