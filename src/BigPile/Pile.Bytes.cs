using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using BigPile.Access;

namespace BigPile;

/// <summary>Bytes: the pile as an allocator, and payloads as they are stored.</summary>
public sealed partial class Pile
{
    private const int FirstBufferBytes = 256;

    /// <summary>Allocates bytes, all zero. <c>Get</c> returns them as a byte array.</summary>
    /// <param name="lengthBytes">The number of bytes; from 0 to 1 GiB.</param>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative.</exception>
    /// <exception cref="PileFullException">There is no space; the pile is unchanged.</exception>
    public PilePointer Allocate(int lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(lengthBytes);
        return _writer.PutZeros(lengthBytes);
    }

    /// <summary>Overwrites a part of a payload; the pointer stays valid. Concurrent reads see all of the part or nothing of it.</summary>
    /// <remarks>
    /// If the process is killed during the call, a mapped pile has all of the part or nothing of it if it is at most 65,472 bytes long; a
    /// longer one is stored in parts of that length, of which only the first ones may be there.
    /// </remarks>
    /// <param name="pointer">The object.</param>
    /// <param name="source">The new bytes.</param>
    /// <param name="offsetBytes">Where they go, from the payload's start.</param>
    /// <exception cref="ArgumentOutOfRangeException">The part does not lie within the payload.</exception>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileFullException">The payload is leased, or was flushed, and there is no space for a copy of it.</exception>
    public void Write(PilePointer pointer, ReadOnlySpan<byte> source, int offsetBytes = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offsetBytes);
        _partWriter.Write(pointer, source, offsetBytes);
    }

    /// <summary>Copies a payload as it is stored: bytes as they are, text as UTF-8, an object as the codec's bytes.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    public byte[] GetBytes(PilePointer pointer)
    {
        var reader = default(BytesReader);
        Require(_reader.TryRead(pointer, ref reader), pointer);
        return reader.Result;
    }

    /// <summary>Copies a part of a payload.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="offsetBytes">The first byte's offset in the payload.</param>
    /// <returns>The number of bytes copied: fewer than the destination has if the payload ends before.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The offset is negative.</exception>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    public int Read(PilePointer pointer, Span<byte> destination, int offsetBytes = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offsetBytes);
        var reader = new PartReader(destination, offsetBytes);
        Require(_reader.TryRead(pointer, ref reader), pointer);
        return reader.CopiedBytes;
    }

    /// <summary>Copies a payload as it is stored, if all of it fits.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="destination">Where the bytes go; its contents are undefined if they do not fit.</param>
    /// <param name="payloadBytes">The bytes of the payload, copied or not.</param>
    /// <returns>Whether it fits.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    public bool TryRead(PilePointer pointer, Span<byte> destination, out int payloadBytes)
    {
        var reader = new SpanReader(destination);
        Require(_reader.TryRead(pointer, ref reader), pointer);
        payloadBytes = (int)reader.LengthBytes;
        return payloadBytes <= destination.Length;
    }

    /// <summary>Copies a payload as it is stored to a writer.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="destination">Where the bytes go; it gets one contiguous write.</param>
    /// <returns>The bytes copied.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object; nothing was written.</exception>
    public int Read(PilePointer pointer, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        int wantedBytes = FirstBufferBytes;
        while (true)
        {
            Span<byte> buffer = destination.GetSpan(wantedBytes); // outside any critical region: it is the writer's code
            if (buffer.Length < wantedBytes)
                throw new ArgumentException(
                    $"The writer returned a buffer of {buffer.Length:N0} bytes when it was asked for {wantedBytes:N0}.",
                    nameof(destination));
            if (!TryRead(pointer, buffer, out wantedBytes))
                continue; // now the needed size is known
            if (wantedBytes != 0)
                destination.Advance(wantedBytes);
            return wantedBytes;
        }
    }

    /// <summary>The bytes of an object's payload.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    public int SizeOf(PilePointer pointer)
    {
        var reader = default(SizeReader);
        Require(_reader.TryRead(pointer, ref reader), pointer);
        return (int)reader.LengthBytes;
    }

    /// <summary>Returns a view of an object's payload, without a copy.</summary>
    /// <returns>The view; dispose it soon.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileStorageException">Every read is checked, and the payload does not match its checksum.</exception>
    public PileLease Lease(PilePointer pointer)
    {
        Require(TryLease(pointer, out PileLease? lease), pointer);
        return lease!;
    }

    /// <summary>Returns a view of an object's payload, without a copy, if the pointer still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="PileStorageException">Every read is checked, and the payload does not match its checksum.</exception>
    public bool TryLease(PilePointer pointer, [NotNullWhen(true)] out PileLease? lease)
    {
        if (IsReadOnly)
            Throw.NoLeaseOfReader(DirectoryPath);
        return _lessor.TryLease(pointer, out lease);
    }
}
