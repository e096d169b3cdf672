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
