using System;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile.Caching.Readers;

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
