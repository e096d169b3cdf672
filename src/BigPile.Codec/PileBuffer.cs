using System;
using System.Buffers;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile;

/// <summary>A growing buffer of pinned memory in which one payload is written or read.</summary>
/// <remarks>
/// At least <see cref="SlackBytes"/> bytes after the written part may be read and written at any time. So code for fixed-size fields needs
/// one bounds check an object instead of one a field. Thread safety: none; a buffer belongs to one thread at a time.
/// </remarks>
[SuppressMessage("Naming", "CA1711", Justification = "A buffer is what it is.")]
public sealed unsafe class PileBuffer : IBufferWriter<byte>
{
    /// <summary>Bytes after the capacity that may be read and written without a check.</summary>
    public const int SlackBytes = 4096;

    /// <summary>The largest payload: 1 GiB.</summary>
    public const int MaxLengthBytes = 1 << 30;

    private const int InitialCapacityBytes = 16 * 1024;
    private const int KeptCapacityBytes = 1 << 20;

    // Padding against false sharing: a collection can move the buffers of several threads next to each other, and each thread writes the
    // length of its own buffer all the time.
#pragma warning disable CS0169, IDE0051 // the field is never read: only its size matters
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    // The memory, pinned: _capacityBytes + SlackBytes long.
    private byte[] _array;

    // The address of the first byte of _array.
    private byte* _start;

    // Bytes that a payload can have before the buffer must grow, without the slack.
    private int _capacityBytes;

    // Bytes written.
    private int _lengthBytes;

    /// <summary>Makes an empty buffer.</summary>
    public PileBuffer() => Reallocate(InitialCapacityBytes);

    /// <summary>The number of bytes written.</summary>
    public int LengthBytes => _lengthBytes;

    /// <summary>The bytes written; valid until the next write.</summary>
    public ReadOnlySpan<byte> WrittenSpan => _array.AsSpan(0, _lengthBytes);

    /// <summary>The bytes written; valid until the next write.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _array.AsMemory(0, _lengthBytes);

    /// <summary>
    /// The codec's state for writing, kept from one write to the next. It is here because a thread-static lookup costs a tenth of a write.
    /// </summary>
    internal object? Writer { get; set; }

    /// <summary>The codec that <see cref="Writer"/> served last: a thread has one buffer for all its piles.</summary>
    internal IPileCodec? WriterOwner { get; set; }

    /// <summary>The codec's state for reading, kept from one read to the next.</summary>
    internal object? Reader { get; set; }

    /// <summary>The codec that <see cref="Reader"/> served last.</summary>
    internal IPileCodec? ReaderOwner { get; set; }

    /// <summary>
    /// The address of the first byte. It changes only when the buffer grows. Keep the buffer alive while the pointer is in use.
    /// </summary>
    internal byte* Start => _start;

    /// <summary>The end of the capacity; the <see cref="SlackBytes"/> bytes after it may be read and written as well.</summary>
    internal byte* End => _start + _capacityBytes;

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureCapacity(sizeHint);
        return _array.AsSpan(_lengthBytes, _capacityBytes + SlackBytes - _lengthBytes);
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureCapacity(sizeHint);
        return _array.AsMemory(_lengthBytes, _capacityBytes + SlackBytes - _lengthBytes);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _capacityBytes + SlackBytes - _lengthBytes);
        _lengthBytes += count;
        EnsureCapacity(0);
    }

    /// <summary>Empties the buffer, and gives memory back if it grew beyond 1 MiB.</summary>
    public void Clear()
    {
        _lengthBytes = 0;
        if (_capacityBytes > KeptCapacityBytes)
            Reallocate(InitialCapacityBytes);
    }

    /// <summary>Sets the length to that of one payload, growing if needed, so that the caller can copy the payload in.</summary>
    internal byte* Prepare(int lengthBytes)
    {
        _lengthBytes = 0;
        EnsureCapacity(lengthBytes);
        _lengthBytes = lengthBytes;
        return _start;
    }

    /// <summary>Sets the length of a buffer that was written through its pointers.</summary>
    internal void SetEnd(byte* position)
    {
        Debug.Assert(position >= _start && position <= End, "A payload ends within the capacity: what is in the slack may be lost.");
        _lengthBytes = (int)(position - _start);
    }

    /// <summary>Ensures capacity for <paramref name="extraBytes"/> more at <paramref name="position"/>.</summary>
    /// <returns>The same position in the memory as it is now.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal byte* Grow(byte* position, long extraBytes)
    {
        Debug.Assert(position >= _start, "A position is in the buffer's present memory.");
        Debug.Assert(position <= End + SlackBytes, "What is written between two checks of the capacity fits into the slack.");
        _lengthBytes = (int)(position - _start);
        EnsureCapacity(extraBytes);
        return _start + _lengthBytes;
    }

    /// <summary>Reports a payload that is over <see cref="MaxLengthBytes"/>.</summary>
    /// <exception cref="PileException">Always.</exception>
    [DoesNotReturn]
    internal static void ThrowTooLong(long lengthBytes) =>
        throw new PileException(
            $"The payload of {lengthBytes:N0} bytes is over the limit of {MaxLengthBytes:N0} bytes for one object. Split the object, and "
            + "link its parts by pointers.");

    /// <summary>Checks the buffer's memory and lengths, for tests.</summary>
    internal void CheckInvariants()
    {
        const string Structure = "PileBuffer";
        Invariant.Equal(Structure, 0, "bytes of memory", _array.Length, _capacityBytes + SlackBytes);
        Invariant.True(
            Structure, 0, "the address of its memory", _start == Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_array)));
        Invariant.Between(Structure, 0, "capacity", _capacityBytes, InitialCapacityBytes, MaxLengthBytes);
        Invariant.Between(Structure, 0, "length", _lengthBytes, 0, _capacityBytes);
        Invariant.Equal(Structure, 0, "whether a codec owns the writer", WriterOwner is not null, Writer is not null);
        Invariant.Equal(Structure, 0, "whether a codec owns the reader", ReaderOwner is not null, Reader is not null);
    }

    private void EnsureCapacity(long extraBytes)
    {
        long neededBytes = _lengthBytes + Math.Max(extraBytes, 0);
        if (neededBytes <= _capacityBytes)
            return;
        if (neededBytes > MaxLengthBytes)
            ThrowTooLong(neededBytes);
        Reallocate((int)Math.Min(MaxLengthBytes, Math.Max(neededBytes, _capacityBytes * 2L)));
    }

    [MemberNotNull(nameof(_array))]
    private void Reallocate(int capacityBytes)
    {
        Debug.Assert(_lengthBytes <= capacityBytes, "What was written fits into the new memory.");
        byte[] array = GC.AllocateUninitializedArray<byte>(capacityBytes + SlackBytes, pinned: true);
        new ReadOnlySpan<byte>(_start, _lengthBytes).CopyTo(array);
        _array = array;
        _start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array));
        _capacityBytes = capacityBytes;
    }
}
