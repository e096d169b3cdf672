using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile;

/// <summary>Replacing objects in place.</summary>
/// <remarks>
/// The block is made busy first, which keeps deletions away, under the lock of its stripe, which keeps other replacements away from the
/// sequence. A payload that fits the block is overwritten while the sequence is odd. One that does not fit goes to a new block, and the old
/// one becomes a link to it: one hop at most, however often it moves, and back again when it fits. A payload that is leased is never
/// overwritten: the new one goes elsewhere as if it did not fit. Order of stores for a move: target whole and published, then the origin's
/// header in one store, then the old target freed; so at each instant the origin leads to a whole payload. A frozen payload is not
/// overwritten either: it goes elsewhere, and the header that says so elsewhere too. The statistics are corrected while the block is still
/// busy: once it is not, a deletion may give its page away.
/// </remarks>
public sealed unsafe partial class Pile
{
    /// <summary>Puts another object in the place of one that a pointer names.</summary>
    /// <param name="pointer">The object; the pointer stays valid whatever the new one's size.</param>
    /// <param name="value">The new object. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileFullException">There is no room; the old object stays as it was.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Put(PilePointer pointer, object value)
    {
        if (!TryPut(pointer, value))
            Throw.NoSuchObject(pointer);
    }

    /// <summary>Puts bytes in the place of an object that a pointer names.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileFullException">There is no room; the old object stays as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Put(PilePointer pointer, ReadOnlySpan<byte> value)
    {
        if (!TryReplace(pointer, value, BlockKind.Bytes))
            Throw.NoSuchObject(pointer);
    }

    /// <summary>Puts another object in the place of one that a pointer names, if it still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no room; the old object stays as it was.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryPut(PilePointer pointer, object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        if (IsBytes(value))
            return TryReplace(pointer, Unsafe.As<byte[]>(value), BlockKind.Bytes);
        PileBuffer buffer = BufferRental.Rent();
        try
        {
            BlockKind kind = Encode(value, buffer);
            return TryReplace(pointer, buffer.WrittenSpan, kind);
        }
        finally
        {
            BufferRental.Return(buffer);
        }
    }

    private bool TryReplace(PilePointer pointer, ReadOnlySpan<byte> payload, BlockKind kind, int flushes = 0)
    {
        if (payload.Length > PileBuffer.MaxLengthBytes)
            PileBuffer.RefuseLength(payload.Length);
        MakeRoomToMove();
        ThreadPresence presence = EnterToChange();
        Stripes.Stripe* stripe = _stripes.Of(pointer.Address);
        stripe->EnterLock();
        try
        {
            if (!TryMakeBusy(pointer, out Block origin))
                return false;
            try
            {
                ReplaceBusyLocked(stripe, origin, payload, kind);
                _allocator.NoteChange(origin.Address);
            }
            catch
            {
                origin.Publish(origin.Header); // there was no room for a target: the old payload stays, untouched
                throw;
            }
            return true;
        }
        catch (PileFullException) when (CanMakeRoom(presence, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            stripe->ExitLock();
            ExitAfterFree(presence);
        }
        return TryReplace(pointer, payload, kind, MakeRoom(flushes));
    }

    private void ReplaceBusyLocked(Stripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        bool isFrozen = _allocator.IsFrozen(origin.Address, origin.Info);
        if (isFrozen && !origin.IsMoved)
            CheckMovedRoom();
        if (!isFrozen && FitsInPlace(payload.Length, origin) && !_leases.IsLeased(origin.Address))
            WriteIntoOriginLocked(stripe, origin, payload, kind);
        else if (origin.Header.Kind == BlockKind.Link)
            WriteBehindLinkLocked(stripe, origin, payload, kind);
        else
            Move(origin, payload, kind);
    }

    private void WriteIntoOriginLocked(Stripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        _allocator.AdjustPayload(origin.Address, origin.Info, payload.Length - origin.Header.PayloadBytes);
        var header = new BlockHeader(kind, origin.Header.Generation, (ulong)payload.Length);
        // Of a frozen block the payload means nothing as long as the header that counts is another one: that changes by one store.
        bool isFrozen = _allocator.IsFrozen(origin.Address, origin.Info);
        int redo = isFrozen ? 0 : BeginRedo(origin.Address, header, 0, payload, default);
        stripe->BeginChangeLocked(origin.Address);
        if (Fault.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            FreeTarget(origin.Header);
        KillPoint.CopyHalf(payload, origin.Start + BlockHeader.SizeBytes, KillWindow.ReplaceHalfOfPayload);
        payload.CopyTo(new Span<byte>(origin.Start + BlockHeader.SizeBytes, payload.Length));
        KillPoint.Pass(KillWindow.ReplaceBeforeHeader);
        SetHeader(origin, HeaderOf(origin.Start, kind, header.Generation, payload.Length, CapacityBytes(origin)));
        stripe->EndChangeLocked();
        if (!isFrozen)
            EndRedo(redo);
        KillPoint.Pass(KillWindow.LinkBeforeOldTargetFreed);
        if (!Fault.TargetFreedFirst && origin.Header.Kind == BlockKind.Link)
            FreeTarget(origin.Header);
    }

    private void WriteBehindLinkLocked(Stripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        Block target = TargetOf(origin.Header);
        if (!FitsInPlace(payload.Length + BackWord.SizeBytes, target) || _leases.IsLeased(target.Address)
            || _allocator.IsFrozen(target.Address, target.Info))
        {
            if (Fault.TargetFreedFirst)
                FreeTarget(origin.Header);
            Link(origin, TakeTarget(origin, payload, kind));
            KillPoint.Pass(KillWindow.LinkBeforeOldTargetFreed);
            if (!Fault.TargetFreedFirst)
                FreeTarget(origin.Header);
            return;
        }
        int lengthBytes = payload.Length + BackWord.SizeBytes;
        _allocator.AdjustPayload(target.Address, target.Info, lengthBytes - target.Header.PayloadBytes);
        var header = new BlockHeader(BlockKind.LinkTarget, target.Header.Generation, (ulong)lengthBytes);
        ulong back = new BackWord(origin.Address, origin.Header.Generation, kind).Word;
        int redo = BeginRedo(target.Address, header, 0, MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in back)), payload);
        stripe->BeginChangeLocked(origin.Address);
        KillPoint.CopyHalf(payload, target.Start + BlockHeader.SizeBytes + BackWord.SizeBytes, KillWindow.ReplaceHalfOfPayload);
        WriteTargetPayload(target.Start, back, payload);
        KillPoint.Pass(KillWindow.ReplaceBeforeHeader);
        target.Publish(HeaderOf(target.Start, BlockKind.LinkTarget, header.Generation, lengthBytes, CapacityBytes(target)));
        origin.Publish(origin.Header);
        stripe->EndChangeLocked();
        EndRedo(redo);
        _allocator.NoteChange(target.Address);
    }

    private void Move(Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        ulong target = TakeTarget(origin, payload, kind);
        _allocator.AdjustPayload(origin.Address, origin.Info, -origin.Header.PayloadBytes);
        bool isToBeCut = _redo != null && origin.Info.ClassPlusOne == 0 && !origin.IsMoved
            && !_allocator.IsFrozen(origin.Address, origin.Info) && !_leases.IsLeased(origin.Address);
        if (isToBeCut)
            _allocator.NoteChange(origin.Address);
        Link(origin, target);
        if (isToBeCut)
            CutRun(origin);
    }

    /// <summary>Writes and publishes a link target; nothing leads to it yet.</summary>
    private ulong TakeTarget(Block origin, ReadOnlySpan<byte> payload, BlockKind kind)
    {
        long lengthBytes = (long)payload.Length + BackWord.SizeBytes;
        Slot slot = TakeAnySlot(lengthBytes, lengthBytes);
        WriteTargetPayload(slot.Start, new BackWord(origin.Address, origin.Header.Generation, kind).Word, payload);
        KillPoint.Pass(KillWindow.PutBeforeHeader);
        _ = Publish(slot, BlockKind.LinkTarget, payload.Length + BackWord.SizeBytes);
        Interlocked.Increment(ref _linkCount);
        KillPoint.Pass(KillWindow.LinkBeforeSwing);
        return slot.Address;
    }

    private void Link(Block origin, ulong targetAddress) =>
        SetHeader(origin, new BlockHeader(BlockKind.Link, origin.Header.Generation, targetAddress));

    private static void WriteTargetPayload(byte* start, ulong back, ReadOnlySpan<byte> payload)
    {
        *(ulong*)(start + BlockHeader.SizeBytes) = back;
        payload.CopyTo(new Span<byte>(start + BlockHeader.SizeBytes + BackWord.SizeBytes, payload.Length));
    }

    private static BackWord BackWordOf(Block target) => new(*(ulong*)(target.Start + BlockHeader.SizeBytes));

    private Block TargetOf(BlockHeader link)
    {
        byte* start = _map.Find(link.TargetAddress, out PageInfo* info);
        return new Block(start, (ulong*)start, link.TargetAddress, new BlockHeader(*(ulong*)start), *info);
    }

    private void FreeTarget(BlockHeader link)
    {
        Block target = TargetOf(link);
        target.Publish(FreedHeader(target));
        KillPoint.Pass(KillWindow.FreedBeforeReturned);
        FreeBlock(target);
        Interlocked.Decrement(ref _linkCount);
    }

    // In a mapped pile a payload is overwritten only under a redo record, which must hold it.
    private bool FitsInPlace(long payloadBytes, Block block)
    {
        long capacityBytes = CapacityBytes(block);
        bool fits = _isSealed ? BlockSeal.Fits(payloadBytes, capacityBytes) : payloadBytes <= capacityBytes;
        return fits && (_redo == null || payloadBytes <= RedoFile.MaxPartBytes);
    }

    private int BeginRedo(ulong address, BlockHeader header, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second) =>
        (Fault.InPlaceWithoutRedo ? null : _redo)?.Begin(ThreadPresence.Mine.Heap, address, header.Word, offsetBytes, first, second) ?? 0;

    private void EndRedo(int index) => (Fault.InPlaceWithoutRedo ? null : _redo)?.End(index);

    // The block is a link by now and nobody else's to cut, unless it was deleted in between: then its run is gone as a whole.
    private void CutRun(Block origin)
    {
        var pointer = new PilePointer(origin.Address, origin.Header.Generation);
        if (!TryMakeBusy(pointer, out Block link))
            return;
        if (link.Header.Kind == BlockKind.Link)
            _allocator.CutRun(origin.Address);
        link.Publish(link.Header);
    }

    private long CapacityBytes(Block block) => _allocator.BlockBytesAt(block.Address, block.Info) - BlockHeader.SizeBytes;

    /// <summary>
    /// Finds the live block of a pointer and makes it the caller's alone, until the caller publishes a header that is not busy.
    /// </summary>
    private bool TryMakeBusy(PilePointer pointer, out Block block)
    {
        var spinner = default(SpinWait);
        while (TryLocate(pointer, out block))
        {
            if (!block.Header.IsBusy && block.TrySwap(block.Header.Busy))
                return true;
            spinner.SpinOnce(sleep1Threshold: -1);
        }
        return false;
    }

    /// <summary>Finds the live block of a pointer as it is at this instant.</summary>
    private bool TryLocate(PilePointer pointer, out Block block, bool refusesEntries = true)
    {
        block = default;
        byte* start = pointer.IsValid ? _map.Find(pointer.Address, out PageInfo* infoAt) : Nowhere(out infoAt);
        if (start == null)
            return false;
        var word = (ulong*)start;
        var header = new BlockHeader(Volatile.Read(ref *word));
        PageInfo info = SegmentMap.Load(infoAt);
        if (IsExaminedNow(info, pointer.Address))
            return TryLocate(pointer, out block, refusesEntries);
        if (header.IsBusy && IsMoved(pointer.Address, header, ref word))
            header = new BlockHeader(Volatile.Read(ref *word)); // stays there until this call has left the pile
        if (header.Kind == BlockKind.Link)
            ExamineTarget(header);
        block = new Block(start, word, pointer.Address, header, info);
        bool found = header.Generation == pointer.Generation && header.IsAddressable && info.HasSlotAt(pointer.Address);
        if (found && refusesEntries && header.Kind == BlockKind.TableEntry)
            Throw.BelongsToTable(pointer);
        return found;
    }

    // Whoever changes a link has its target's page examined before: see PageExaminer.
    private void ExamineTarget(BlockHeader link)
    {
        if (_map.Find(link.TargetAddress, out PageInfo* infoAt) != null)
            _ = IsExaminedNow(SegmentMap.Load(infoAt), link.TargetAddress);
    }

    private static byte* Nowhere(out PageInfo* info)
    {
        info = null;
        return null;
    }
}
