using BigPile.Access;
using BigPile.Layout;

namespace BigPile.Caching.Readers;

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
