using System;
using System.Buffers;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile;

/// <summary>The pile as an allocator of bytes.</summary>
public sealed unsafe partial class Pile
{
    private const int FirstRoomBytes = 256;

    /// <summary>Allocates bytes, all zero. <c>Get</c> gives them as a byte array.</summary>
    /// <param name="lengthBytes">The number of bytes; from 0 to 1 GiB.</param>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative.</exception>
    /// <exception cref="PileFullException">There is no room; the pile is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer Allocate(int lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(lengthBytes);
        return AllocateZeros(lengthBytes);
    }

    /// <summary>Stores bytes that lie in several places, without joining them first.</summary>
    /// <remarks>The parts are pinned while they are copied.</remarks>
    /// <param name="value">The bytes; from 0 to 1 GiB.</param>
    /// <returns>The pointer that names the bytes from now on.</returns>
    /// <exception cref="PileFullException">There is no room; the pile is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer Put(in ReadOnlySequence<byte> value)
    {
        if (value.IsSingleSegment)
            return Put(value.FirstSpan);
        using var parts = new PinnedParts(value); // outside the pile: the memory may be anybody's, and handing it out his code
        return PutParts(parts);
    }

    private PilePointer AllocateZeros(int lengthBytes, int flushes = 0)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            Slot slot = TakeSlot(lengthBytes);
            new Span<byte>(slot.Start + BlockHeader.SizeBytes, lengthBytes).Clear();
            return Publish(slot, BlockKind.Bytes, lengthBytes);
        }
        catch (PileFullException) when (CanMakeRoom(presence, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            Exit(presence);
        }
        return AllocateZeros(lengthBytes, MakeRoom(flushes));
    }

    private PilePointer PutParts(PinnedParts parts, int flushes = 0)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            Slot slot = TakeSlot(parts.LengthBytes);
            parts.CopyTo(new Span<byte>(slot.Start + BlockHeader.SizeBytes, (int)parts.LengthBytes));
            KillPoint.Pass(KillWindow.PutBeforeHeader);
            return Publish(slot, BlockKind.Bytes, parts.LengthBytes);
        }
        catch (PileFullException) when (CanMakeRoom(presence, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            Exit(presence);
        }
        return PutParts(parts, MakeRoom(flushes));
    }

    /// <summary>Overwrites a part of a payload where it lies. Concurrent reads see all of the part or nothing of it.</summary>
    /// <remarks>
    /// A kill in the middle leaves, in a mapped pile, all of the part or nothing of it when it is at most 65,472 bytes long; of a longer
    /// one it may leave the first pieces of that length.
    /// </remarks>
    /// <param name="pointer">The object.</param>
    /// <param name="source">The new bytes.</param>
    /// <param name="offsetBytes">Where they go, from the payload's start.</param>
    /// <exception cref="ArgumentOutOfRangeException">The part does not lie within the payload.</exception>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileFullException">The payload is leased, and there is no room for a copy of it.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Write(PilePointer pointer, ReadOnlySpan<byte> source, int offsetBytes = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offsetBytes);
        WriteInside(pointer, source, offsetBytes);
    }

    private void WriteInside(PilePointer pointer, ReadOnlySpan<byte> source, int offsetBytes, int flushes = 0)
    {
        MakeRoomToMove();
        ThreadPresence presence = EnterToChange();
        Stripes.Stripe* stripe = _stripes.Of(pointer.Address);
        stripe->EnterLock();
        try
        {
            if (!TryMakeBusy(pointer, out Block origin))
                Throw.NoSuchObject(pointer);
            try
            {
                WriteBusyLocked(stripe, origin, source, offsetBytes);
            }
            catch
            {
                origin.Publish(origin.Header); // nothing was written: afterwards the block may be busy for somebody else
                throw;
            }
            return;
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
        WriteInside(pointer, source, offsetBytes, MakeRoom(flushes));
    }

    /// <summary>Copies a part of a payload.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="offsetBytes">The first byte's offset in the payload.</param>
    /// <returns>The bytes copied: fewer than the destination has when the payload ends before.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The offset is negative.</exception>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int Read(PilePointer pointer, Span<byte> destination, int offsetBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offsetBytes);
        var reader = new PartReader(destination, offsetBytes);
        if (!TryRead(pointer, ref reader))
            Throw.NoSuchObject(pointer);
        return reader.CopiedBytes;
    }

    /// <summary>Copies a payload as it is stored to a writer.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="destination">Where the bytes go; it gets one contiguous write.</param>
    /// <returns>The bytes copied.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object; nothing was written.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int Read(PilePointer pointer, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        int wantedBytes = FirstRoomBytes;
        while (true)
        {
            Span<byte> room = destination.GetSpan(wantedBytes); // outside the pile: it is the writer's code
            if (room.Length < wantedBytes)
                throw new ArgumentException(
                    $"The writer gave room for {room.Length:N0} bytes when it was asked for {wantedBytes:N0}.", nameof(destination));
            wantedBytes = Read(pointer, room);
            if (wantedBytes > room.Length)
                continue; // now it is known how much is needed
            if (wantedBytes != 0)
                destination.Advance(wantedBytes);
            return wantedBytes;
        }
    }

    private void WriteBusyLocked(Stripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> source, int offsetBytes)
    {
        bool isLink = origin.Header.Kind == BlockKind.Link;
        Block place = isLink ? TargetOf(origin.Header) : origin;
        int headBytes = BlockHeader.SizeBytes + (isLink ? BackWord.SizeBytes : 0);
        long lengthBytes = place.Header.PayloadBytes + BlockHeader.SizeBytes - headBytes;
        if (offsetBytes > lengthBytes - source.Length)
            Throw.WriteOutside(offsetBytes, source.Length, lengthBytes);
        if (_leases.IsLeased(place.Address) || _allocator.IsFrozen(place.Address, place.Info))
        {
            RewriteElsewhere(stripe, origin, new ReadOnlySpan<byte>(place.Start + headBytes, (int)lengthBytes), source, offsetBytes);
            return;
        }
        stripe->BeginChangeLocked(origin.Address);
        BlockHeader header = WriteInPieces(place, source, headBytes - BlockHeader.SizeBytes + offsetBytes);
        origin.Publish(isLink ? origin.Header : header);
        stripe->EndChangeLocked();
        _allocator.NoteChange(place.Address);
    }

    // In pieces that fit a redo record: a kill leaves each of them whole or absent.
    private BlockHeader WriteInPieces(Block place, ReadOnlySpan<byte> source, int offsetBytes)
    {
        long capacityBytes = CapacityBytes(place);
        BlockHeader header = place.Header;
        do
        {
            ReadOnlySpan<byte> piece = source[..Math.Min(source.Length, RedoFile.MaxPartBytes)];
            int redo = BeginRedo(place.Address, place.Header.Plain, offsetBytes, piece, default);
            KillPoint.CopyHalf(piece, place.Start + BlockHeader.SizeBytes + offsetBytes, KillWindow.ReplaceHalfOfPayload);
            piece.CopyTo(new Span<byte>(place.Start + BlockHeader.SizeBytes + offsetBytes, piece.Length));
            KillPoint.Pass(KillWindow.ReplaceBeforeHeader);
            if (_isSealed)
                header = BlockSeal.CloseAgain(place.Start, place.Header, capacityBytes, offsetBytes, piece.Length);
            place.Publish(place.Header.Kind == BlockKind.LinkTarget ? header : header.Busy);
            EndRedo(redo);
            KillPoint.Pass(KillWindow.RawBetweenPieces);
            source = source[piece.Length..];
            offsetBytes += piece.Length;
        }
        while (source.Length != 0);
        return header;
    }

    private void RewriteElsewhere(Stripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> old, ReadOnlySpan<byte> source, int offsetBytes)
    {
        BlockKind kind = origin.Header.Kind == BlockKind.Link ? BackWordOf(TargetOf(origin.Header)).Kind : origin.Header.Kind;
        PileBuffer copy = BufferRental.Rent();
        try
        {
            old.CopyTo(new Span<byte>(copy.Prepare(old.Length), old.Length));
            source.CopyTo(new Span<byte>(copy.Start + offsetBytes, source.Length));
            ReplaceBusyLocked(stripe, origin, copy.WrittenSpan, kind);
            _allocator.NoteChange(origin.Address);
        }
        finally
        {
            BufferRental.Return(copy);
        }
    }
}
