using System;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile;

/// <summary>Storing new objects.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>Stores an object and everything that it reaches.</summary>
    /// <param name="value">The object. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <returns>The pointer that names the object from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no room; the pile is as it was.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer Put(object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return value switch
        {
            string text => Put(text),
            _ when IsBytes(value) => Put(new ReadOnlySpan<byte>(Unsafe.As<byte[]>(value))),
            _ => PutEncoded(value),
        };
    }

    /// <summary>Stores a string, without the codec.</summary>
    /// <returns>The pointer that names the string from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no room; the pile is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer Put(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return Ascii.IsValid(value) ? PutAscii(value) : PutEncoded(value);
    }

    /// <summary>Stores a byte array, without the codec.</summary>
    /// <returns>The pointer that names the bytes from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no room; the pile is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer Put(byte[] value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return Put(new ReadOnlySpan<byte>(value));
    }

    /// <summary>Stores bytes, without the codec. <c>Get</c> gives them back as a byte array.</summary>
    /// <param name="value">The bytes; from 0 to 1 GiB.</param>
    /// <returns>The pointer that names the bytes from now on.</returns>
    /// <exception cref="PileFullException">There is no room; the pile is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer Put(ReadOnlySpan<byte> value) => PutPayload(value, BlockKind.Bytes);

    /// <summary>Stores an object with room to grow in place.</summary>
    /// <param name="value">The object. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <param name="preallocateBytes">Bytes of payload to reserve; from 0 to 1 GiB. A payload that is larger gets what it needs.</param>
    /// <returns>The pointer that names the object from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The bytes to reserve are negative.</exception>
    /// <exception cref="PileFullException">There is no room; the pile is as it was.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer Put(object value, int preallocateBytes)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentOutOfRangeException.ThrowIfNegative(preallocateBytes);
        if (IsBytes(value))
            return PutPayload(Unsafe.As<byte[]>(value), BlockKind.Bytes, preallocateBytes);
        PileBuffer buffer = BufferRental.Rent();
        try
        {
            BlockKind kind = Encode(value, buffer);
            return PutPayload(buffer.WrittenSpan, kind, preallocateBytes);
        }
        finally
        {
            BufferRental.Return(buffer);
        }
    }

    /// <summary>
    /// Whether a value is stored as the bytes that it is. The language takes arrays of signed bytes, and of enumerations, for byte arrays
    /// too.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsBytes(object value) => value.GetType() == typeof(byte[]);

    /// <summary>Writes a string, or an object by the codec, to an empty buffer.</summary>
    /// <returns>The kind of the payload.</returns>
    internal BlockKind Encode(object value, PileBuffer buffer)
    {
        if (IsReadOnly)
            Throw.ReadOnly(DirectoryPath); // before a new type's definition could be stored
        if (value is string text)
            return TextPayload.Write(text, buffer);
        Codec.Serialize(value, buffer);
        return BlockKind.Object;
    }

    /// <summary>Stores a payload that is ready.</summary>
    internal PilePointer PutPayload(ReadOnlySpan<byte> payload, BlockKind kind, int preallocateBytes = 0, int flushes = 0)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            Slot slot = TakeSlot(payload.Length, Math.Max(payload.Length, preallocateBytes));
            if (Fault.HeaderFirst)
                _ = Publish(slot, kind, payload.Length);
            KillPoint.CopyHalf(payload, slot.Start + BlockHeader.SizeBytes, KillWindow.PutHalfOfPayload);
            payload.CopyTo(new Span<byte>(slot.Start + BlockHeader.SizeBytes, payload.Length));
            KillPoint.Pass(KillWindow.PutBeforeHeader);
            return Publish(slot, kind, payload.Length);
        }
        catch (PileFullException) when (CanMakeRoom(presence, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            Exit(presence);
        }
        return PutPayload(payload, kind, preallocateBytes, MakeRoom(flushes));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private PilePointer Publish(Slot slot, BlockKind kind, long payloadBytes)
    {
        BlockHeader header = HeaderOf(slot.Start, kind, slot.Generation, payloadBytes, slot.CapacityBytes);
        Volatile.Write(ref *(ulong*)slot.Start, header.Word);
        return slot.Pointer;
    }

    /// <summary>The header for a payload that is in its place; writes the checksum where blocks have one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BlockHeader HeaderOf(byte* block, BlockKind kind, uint generation, long payloadBytes, long capacityBytes) =>
        _isSealed
            ? BlockSeal.Close(block, kind, generation, payloadBytes, capacityBytes)
            : new BlockHeader(kind, generation, (ulong)payloadBytes);

    private Slot TakeSlot(long payloadBytes) => TakeSlot(payloadBytes, payloadBytes);

    private Slot TakeSlot(long payloadBytes, long capacityBytes)
    {
        if (capacityBytes > PileBuffer.MaxLengthBytes)
            PileBuffer.RefuseLength(capacityBytes);
        return TakeAnySlot(payloadBytes, capacityBytes);
    }

    /// <summary>
    /// As <see cref="TakeSlot(long, long)"/>, for what a limit of payloads does not count: a link target is longer by its back word.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Slot TakeAnySlot(long payloadBytes, long capacityBytes)
    {
        long tailBytes = _isSealed ? BlockSeal.TailBytesFor(capacityBytes) : 0;
        return _allocator.Take(BlockHeader.SizeBytes + capacityBytes + tailBytes, payloadBytes);
    }

    private PilePointer PutAscii(string value, int flushes = 0)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            Slot slot = TakeSlot(value.Length);
            _ = AsciiText.TryNarrow(value, slot.Start + BlockHeader.SizeBytes);
            KillPoint.Pass(KillWindow.PutBeforeHeader);
            return Publish(slot, BlockKind.String, value.Length);
        }
        catch (PileFullException) when (CanMakeRoom(presence, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            Exit(presence);
        }
        return PutAscii(value, MakeRoom(flushes));
    }

    private PilePointer PutEncoded(object value)
    {
        PileBuffer buffer = BufferRental.Rent();
        try
        {
            BlockKind kind = Encode(value, buffer);
            return PutPayload(buffer.WrittenSpan, kind);
        }
        finally
        {
            BufferRental.Return(buffer);
        }
    }
}
