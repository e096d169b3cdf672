using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Values;

/// <summary>
/// The codec of <c>Memory</c> and <c>ReadOnlyMemory</c> of bytes: binary data. A value read back is backed by an array of its own.
/// </summary>
internal sealed unsafe class ByteMemoryCodec(string name) : FieldCodec
{
    public override string? LeafName => name;

    // Memory and ReadOnlyMemory have the same layout.
    public override byte* Write(ref byte field, byte* p, WriteContext c) =>
        Blob.Write(Unsafe.As<byte, ReadOnlyMemory<byte>>(ref field).Span, FieldKind.Byte, p, c);

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        p = c.BinHeader(p, out int length);
        Debug.Assert(p + length <= c.End, "The header's length was checked against the payload's end.");
        Unsafe.As<byte, ReadOnlyMemory<byte>>(ref field) = new ReadOnlySpan<byte>(p, length).ToArray();
        return p + length;
    }

    public override void Describe(DefinitionWriter definition) => definition.Text(name);
}
