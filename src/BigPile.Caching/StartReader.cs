using System;
using BigPile.Blocks;

namespace BigPile.Caching;

/// <summary>Copies the first bytes of an entry's value, as many as there is room for.</summary>
internal unsafe ref struct StartReader(Span<byte> destination) : Pile.IPayloadReader
{
    private readonly Span<byte> _destination = destination;

    internal int CopiedBytes { get; private set; }

    /// <inheritdoc/>
    public void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        CopiedBytes = (int)Math.Min(lengthBytes, _destination.Length);
        new ReadOnlySpan<byte>(payload, CopiedBytes).CopyTo(_destination);
    }
}
