using System;
using System.Buffers;
using BigPile.Blocks;

namespace BigPile.Caching;

/// <summary>Reads an entry's value as the object that was put, which may be null.</summary>
internal unsafe struct ValueReader : Pile.IPayloadReader
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

/// <summary>Copies an entry's value, as it is stored, to a writer.</summary>
internal unsafe struct WriterReader(IBufferWriter<byte> destination) : Pile.IPayloadReader
{
    private int _lengthBytes;

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        _lengthBytes = (int)lengthBytes;
        if (_lengthBytes != 0)
            new ReadOnlySpan<byte>(payload, _lengthBytes).CopyTo(destination.GetSpan(_lengthBytes));
    }

    /// <summary>States the last copy as written; not called after a read that failed.</summary>
    internal readonly void Complete()
    {
        if (_lengthBytes != 0)
            destination.Advance(_lengthBytes);
    }
}
