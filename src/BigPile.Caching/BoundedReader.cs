using System;
using System.Buffers;
using BigPile.Blocks;

namespace BigPile.Caching;

/// <summary>Copies an entry's value to a writer if it is not over a limit.</summary>
internal unsafe struct BoundedReader(IBufferWriter<byte> destination, long maxBytes) : Pile.IPayloadReader
{
    private int _lengthBytes;

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        _lengthBytes = lengthBytes <= maxBytes ? (int)lengthBytes : Utf8KeyExtensions.TooLong;
        if (_lengthBytes > 0)
            new ReadOnlySpan<byte>(payload, _lengthBytes).CopyTo(destination.GetSpan(_lengthBytes));
    }

    /// <summary>States the last copy as written; not called after a read that failed.</summary>
    internal readonly int Complete()
    {
        if (_lengthBytes > 0)
            destination.Advance(_lengthBytes);
        return _lengthBytes;
    }
}
