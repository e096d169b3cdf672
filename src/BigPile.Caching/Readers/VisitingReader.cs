using System;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile.Caching.Readers;

/// <summary>Passes a value to a visitor as a span; empty if it is not bytes.</summary>
internal unsafe ref struct VisitingReader<TVisitor>(ref TVisitor visitor) : IPayloadReader
    where TVisitor : struct, IValueVisitor
{
    private readonly ref TVisitor _visitor = ref visitor;

    /// <inheritdoc/>
    public readonly void Read(byte* payload, long lengthBytes, BlockKind kind) =>
        _visitor.Visit(kind == BlockKind.Bytes ? new ReadOnlySpan<byte>(payload, (int)lengthBytes) : default);
}
