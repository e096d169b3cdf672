using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Reads any payload as the object that was put.</summary>
internal unsafe struct ObjectReader : IPayloadReader
{
    private object? _result;
    private PileBuffer? _copy;
    private BlockKind _kind;

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        _kind = kind;
        _result = kind switch
        {
            BlockKind.String => TextPayload.TryReadAscii(payload, (int)lengthBytes),
            BlockKind.Bytes or BlockKind.TableEntry => new ReadOnlySpan<byte>(payload, (int)lengthBytes).ToArray(),
            _ => null,
        };
        if (_result != null)
            return;
        _copy ??= BufferRental.Rent();
        BufferRental.Fill(_copy, payload, lengthBytes);
    }

    /// <summary>Makes the object from the copy. Called once, after the read has succeeded.</summary>
    internal object Complete(IPileCodec codec)
    {
        Debug.Assert(_result != null || _copy != null, "The read succeeded, and its result was not taken yet.");
        if (_result != null)
        {
            Release();
            return _result;
        }
        try
        {
            return _kind == BlockKind.Object ? codec.Deserialize(_copy!) : TextPayload.Read(_copy!.WrittenSpan, _kind);
        }
        finally
        {
            Release();
        }
    }

    /// <summary>Returns the buffer, after a read that found nothing.</summary>
    internal void Release()
    {
        if (_copy != null)
            BufferRental.Return(_copy);
        _copy = null;
    }
}

/// <summary>Reads the bytes of a payload as they are stored.</summary>
internal unsafe struct BytesReader : IPayloadReader
{
    internal byte[] Result;

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind) =>
        Result = new ReadOnlySpan<byte>(payload, (int)lengthBytes).ToArray();
}

/// <summary>Reads a payload's size and kind only.</summary>
internal unsafe struct SizeReader : IPayloadReader
{
    internal long LengthBytes;
    internal BlockKind Kind;

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        LengthBytes = lengthBytes;
        Kind = kind;
    }
}

/// <summary>Wraps another reader, and keeps the size of what that has read.</summary>
internal unsafe ref struct MeasuredReader<TReader>(TReader inner) : IPayloadReader
    where TReader : struct, IPayloadReader, allows ref struct
{
    internal TReader Inner = inner;

    internal long LengthBytes { get; private set; }

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        LengthBytes = lengthBytes;
        Inner.Read(payload, lengthBytes, kind);
    }
}

/// <summary>Copies the bytes of a payload to a buffer.</summary>
/// <param name="destination">The buffer.</param>
/// <param name="isOfBytes">Whether payloads of other kinds than bytes count as empty.</param>
internal unsafe ref struct SpanReader(Span<byte> destination, bool isOfBytes = false) : IPayloadReader
{
    private readonly Span<byte> _destination = destination;

    internal long LengthBytes { get; private set; }

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        LengthBytes = isOfBytes && kind != BlockKind.Bytes ? 0 : lengthBytes;
        if (LengthBytes <= _destination.Length)
            Unsafe.CopyBlockUnaligned(ref MemoryMarshal.GetReference(_destination), ref *payload, (uint)LengthBytes);
    }
}

/// <summary>Copies a part of a payload to a buffer.</summary>
internal unsafe ref struct PartReader(Span<byte> destination, int offsetBytes) : IPayloadReader
{
    private readonly Span<byte> _destination = destination;

    internal int CopiedBytes { get; private set; }

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        CopiedBytes = (int)Math.Clamp(lengthBytes - offsetBytes, 0, _destination.Length);
        if (CopiedBytes != 0)
            new ReadOnlySpan<byte>(payload + offsetBytes, CopiedBytes).CopyTo(_destination);
    }
}

/// <summary>Copies a payload to its destination.</summary>
internal unsafe interface IPayloadReader
{
    /// <summary>Copies the payload; called again if it changed meanwhile, and the last call counts.</summary>
    void Read(byte* payload, long lengthBytes, BlockKind kind);
}
