using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Puts another payload in the place of one that a pointer names.</summary>
/// <remarks>
/// The block is made busy first, which keeps deletions away, under the lock of its stripe, which keeps other replacements away from the
/// sequence. A payload that fits the block is overwritten while the sequence is odd. One that does not fit goes to a new block, and the old
/// one becomes a link to it: one hop at most, however often it moves, and back again when it fits. A payload that is leased is never
/// overwritten: the new one goes elsewhere as if it did not fit. Order of stores for a move: target whole and published, then the origin's
/// header in one store, then the old target freed; so at each instant the origin leads to a whole payload. A frozen payload is not
/// overwritten either: it goes elsewhere, and the header that says so elsewhere too. The statistics are corrected while the block is still
/// busy: once it is not, a deletion may give its page away. What a kill leaves behind each store: CRASH.md, the rows "replace" and
/// "write of a part".
/// </remarks>
internal sealed unsafe class Replacer(BlockStore blocks)
{
    private readonly Allocator _allocator = blocks.Allocator;
    private readonly LeaseTable _leases = blocks.Leases;

    /// <summary>Replaces a payload.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryReplace(PilePointer pointer, ReadOnlySpan<byte> payload, BlockKind kind, int attempt = 0)
    {
        if (payload.Length > PileBuffer.MaxLengthBytes)
            PileBuffer.ThrowTooLong(payload.Length);
        blocks.EnsureShadowCapacity();
        CriticalRegion critical = blocks.Barrier.EnterWriter();
        SeqLockStripes.Stripe* stripe = blocks.Stripes.Of(pointer.Address);
        stripe->EnterLock();
        try
        {
            if (!blocks.TryMakeBusy(pointer, out Block origin))
                return false;
            try
            {
                ReplaceBusyLocked(stripe, origin, payload, kind);
                _allocator.MarkDirty(origin.Address);
            }
            catch
            {
                origin.Publish(origin.Header); // there was no room for a target: the old payload stays, untouched
                throw;
            }
            return true;
        }
        catch (PileFullException e) when (blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            stripe->ExitLock();
            blocks.ExitAfterFree(critical);
        }
        return TryReplace(pointer, payload, kind, blocks.Reclaimer.Reclaim(attempt));
    }

    /// <summary>Replaces the payload of a block that is busy, and the caller's alone; ends its being busy.</summary>
    internal void ReplaceBusyLocked(SeqLockStripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert((stripe->Sequence & 1) == 0, "The lock of the stripe keeps other replacements away from its sequence.");
        Debug.Assert(origin.OwnHeader.IsBusy, "A deletion can't come between.");
        bool isFlushed = blocks.IsFlushed(origin);
        if (isFlushed && !origin.IsShadowed)
            blocks.CheckShadowCapacity();
        if (!isFlushed && FitsInPlace(payload.Length, origin) && !_leases.IsLeased(origin.Address))
            WriteIntoOriginLocked(stripe, origin, payload, kind);
        else if (origin.Header.Kind == BlockKind.Link)
            WriteBehindLinkLocked(stripe, origin, payload, kind);
        else
            Move(origin, payload, kind);
    }

    /// <summary>Writes a payload to its pointer's own block, and frees the target if that was a link.</summary>
    internal void WriteIntoOriginLocked(SeqLockStripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert(FitsInPlace(payload.Length, origin), "What is overwritten has room for it.");
        _allocator.AdjustPayload(origin.Address, origin.Info, payload.Length - origin.Header.PayloadBytes);
        var header = new BlockHeader(kind, origin.Header.Generation, (ulong)payload.Length);
        // Of a frozen block the payload means nothing as long as the header that counts is another one: that changes by one store.
        bool isFlushed = blocks.IsFlushed(origin);
        int redo = isFlushed ? 0 : BeginRedo(origin.Address, header, 0, payload, default);
        stripe->BeginChangeLocked(origin.Address);
        Debug.Assert((stripe->Sequence & 1) != 0 && stripe->Address == origin.Address, "Readers know before the first byte changes.");
        if (Mutation.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
        CrashPoints.CopyHalf(payload, origin.Start + BlockHeader.SizeBytes, CrashPoint.ReplaceHalfOfPayload);
        payload.CopyTo(new Span<byte>(origin.Start + BlockHeader.SizeBytes, payload.Length));
        CrashPoints.Pass(CrashPoint.ReplaceBeforeHeader);
        blocks.SetHeader(origin, blocks.HeaderOf(origin.Start, kind, header.Generation, payload.Length, blocks.CapacityBytes(origin)));
        stripe->EndChangeLocked();
        if (!isFlushed)
            EndRedo(redo);
        CrashPoints.Pass(CrashPoint.LinkBeforeOldTargetFreed);
        if (!Mutation.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            blocks.FreeTarget(origin.Header);
    }

    /// <summary>Has a link lead to a new target with another payload, and frees the old one.</summary>
    internal void Relink(Block origin, ReadOnlySpan<byte> payload, BlockKind kind, CrashPoint crashPoint, bool freesFirst)
    {
        Debug.Assert(origin.Header.Kind == BlockKind.Link, "There is an old target.");
        if (freesFirst)
            blocks.FreeTarget(origin.Header);
        Link(origin, TakeTarget(origin, payload, kind));
        CrashPoints.Pass(crashPoint);
        if (!freesFirst)
            blocks.FreeTarget(origin.Header);
    }

    /// <summary>Whether a payload has room in a block, and may be written over the one that is there.</summary>
    internal bool FitsInPlace(long payloadBytes, Block block)
    {
        long capacityBytes = blocks.CapacityBytes(block);
        bool fits = blocks.HasChecksums ? BlockChecksum.Fits(payloadBytes, capacityBytes) : payloadBytes <= capacityBytes;
        return fits && payloadBytes <= blocks.Redo.MaxPayloadBytes;
    }

    /// <summary>Notes what is about to be written over a payload.</summary>
    internal int BeginRedo(ulong address, BlockHeader header, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second) =>
        Mutation.InPlaceWithoutRedo ? 0 : blocks.Redo.Begin(CriticalRegion.Current.Heap, address, header.Word, offsetBytes, first, second);

    /// <summary>Notes that it is written.</summary>
    internal void EndRedo(int index)
    {
        if (!Mutation.InPlaceWithoutRedo)
            blocks.Redo.End(index);
    }

    private void WriteBehindLinkLocked(SeqLockStripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Block target = blocks.TargetOf(origin.Header);
        int lengthBytes = payload.Length + OwnerWord.SizeBytes;
        if (!FitsInPlace(lengthBytes, target) || _leases.IsLeased(target.Address) || blocks.IsFlushed(target))
        {
            Relink(origin, payload, kind, CrashPoint.LinkBeforeOldTargetFreed, Mutation.TargetFreedFirst);
            return;
        }
        _allocator.AdjustPayload(target.Address, target.Info, lengthBytes - target.Header.PayloadBytes);
        var header = new BlockHeader(BlockKind.LinkTarget, target.Header.Generation, (ulong)lengthBytes);
        ulong back = new OwnerWord(origin.Address, origin.Header.Generation, kind).Word;
        int redo = BeginRedo(target.Address, header, 0, MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in back)), payload);
        stripe->BeginChangeLocked(origin.Address);
        Debug.Assert((stripe->Sequence & 1) != 0 && stripe->Address == origin.Address, "Readers know before the first byte changes.");
        CrashPoints.CopyHalf(payload, target.Start + BlockHeader.SizeBytes + OwnerWord.SizeBytes, CrashPoint.ReplaceHalfOfPayload);
        WriteTargetPayload(target.Start, back, payload);
        CrashPoints.Pass(CrashPoint.ReplaceBeforeHeader);
        target.Publish(
            blocks.HeaderOf(target.Start, BlockKind.LinkTarget, header.Generation, lengthBytes, blocks.CapacityBytes(target)));
        origin.Publish(origin.Header);
        stripe->EndChangeLocked();
        EndRedo(redo);
        _allocator.MarkDirty(target.Address);
    }

    private void Move(Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert(origin.Header.Kind != BlockKind.Link, "One hop at most: what moves lay in its pointer's own block.");
        ulong target = TakeTarget(origin, payload, kind);
        _allocator.AdjustPayload(origin.Address, origin.Info, -origin.Header.PayloadBytes);
        bool isToBeCut = blocks.Redo.OutlivesProcess && origin.Info.ClassPlusOne == 0 && !origin.IsShadowed
            && !blocks.IsFlushed(origin) && !_leases.IsLeased(origin.Address);
        if (isToBeCut)
            _allocator.MarkDirty(origin.Address);
        Link(origin, target);
        if (isToBeCut)
            CutRun(origin);
    }

    /// <summary>Writes and publishes a link target; nothing leads to it yet.</summary>
    private ulong TakeTarget(Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Debug.Assert(kind is not (BlockKind.Free or BlockKind.Link or BlockKind.LinkTarget), "The back word keeps the kind of a payload.");
        long lengthBytes = (long)payload.Length + OwnerWord.SizeBytes;
        Slot slot = blocks.TakeAnySlot(lengthBytes, lengthBytes);
        WriteTargetPayload(slot.Start, new OwnerWord(origin.Address, origin.Header.Generation, kind).Word, payload);
        CrashPoints.Pass(CrashPoint.PutBeforeHeader);
        _ = blocks.Publish(slot, BlockKind.LinkTarget, payload.Length + OwnerWord.SizeBytes);
        blocks.CountLink();
        CrashPoints.Pass(CrashPoint.LinkBeforeSwap);
        return slot.Address;
    }

    private void Link(Block origin, ulong targetAddress)
    {
        var link = new BlockHeader(BlockKind.Link, origin.Header.Generation, targetAddress);
        Debug.Assert(blocks.TargetOf(link).Header.Kind == BlockKind.LinkTarget, "The target is whole before anything leads to it.");
        Debug.Assert(BlockStore.OwnerWordOf(blocks.TargetOf(link)).LinkAddress == origin.Address, "The target says whose it is.");
        blocks.SetHeader(origin, link);
    }

    private static void WriteTargetPayload(byte* start, ulong back, ReadOnlySpan<byte> payload)
    {
        *(ulong*)(start + BlockHeader.SizeBytes) = back;
        payload.CopyTo(new Span<byte>(start + BlockHeader.SizeBytes + OwnerWord.SizeBytes, payload.Length));
    }

    // The block is a link by now and nobody else's to cut, unless it was deleted in between: then its run is gone as a whole.
    private void CutRun(Block origin)
    {
        var pointer = new PilePointer(origin.Address, origin.Header.Generation);
        if (!blocks.TryMakeBusy(pointer, out Block link))
            return;
        if (link.Header.Kind == BlockKind.Link)
            _allocator.CutRun(origin.Address);
        link.Publish(link.Header);
    }
}
