using System;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Layout;

namespace BigPile.Caching.Readers;

/// <summary>Copies a value as it is stored to a buffer, which is given back at the end.</summary>
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
