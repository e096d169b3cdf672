using System;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Layout;

namespace BigPile.Caching.Readers;

/// <summary>Copies a value, as stored, to a buffer that is returned on disposal.</summary>
internal unsafe struct CopyReader(PileBuffer buffer) : IPayloadReader, IDisposable
{
    internal ValueKind Kind { get; private set; }

    internal readonly ReadOnlySpan<byte> Value => buffer.WrittenSpan;

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        Kind = (ValueKind)kind;
        BufferRental.Fill(buffer, payload, lengthBytes);
    }

    public readonly void Dispose() => BufferRental.Return(buffer);
}

/// <summary>Copies the first bytes of a value, as many as fit.</summary>
/// <param name="destination">The destination.</param>
/// <param name="bytesOnly">Whether a value that is not bytes counts as empty.</param>
internal unsafe ref struct StartReader(Span<byte> destination, bool bytesOnly = false) : IPayloadReader
{
    private readonly Span<byte> _destination = destination;

    internal int CopiedBytes { get; private set; }

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        CopiedBytes = bytesOnly && kind != BlockKind.Bytes ? 0 : (int)Math.Min(lengthBytes, _destination.Length);
        new ReadOnlySpan<byte>(payload, CopiedBytes).CopyTo(_destination);
    }
}

/// <summary>Reads a value as the object that was put, which may be null.</summary>
internal unsafe struct ValueReader : IPayloadReader
{
    private ObjectReader _reader;
    private bool _isNull;

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        _isNull = kind == BlockKind.Free;
        if (!_isNull)
            _reader.Read(payload, lengthBytes, kind);
    }

    internal object? Complete(IPileCodec codec)
    {
        if (!_isNull)
            return _reader.Complete(codec);
        _reader.Release();
        return null;
    }

    internal void Release() => _reader.Release();
}
