using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Values;

/// <summary>
/// A place for a view of bytes: binary data. What is read back is a view of an array of its own, whatever it was a view of.
/// </summary>
internal sealed unsafe class ByteMemoryCodec(string name) : FieldCodec
{
    public override string? LeafName => name;

    // The two types of view differ in what they let the application do, not in what they are.
    public override byte* Write(ref byte field, byte* p, WriteContext c) =>
        Blob.Write(Unsafe.As<byte, ReadOnlyMemory<byte>>(ref field).Span, FieldKind.Byte, p, c);

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        p = c.BinHeader(p, out int length);
        Unsafe.As<byte, ReadOnlyMemory<byte>>(ref field) = new ReadOnlySpan<byte>(p, length).ToArray();
        return p + length;
    }

    public override void Describe(DefinitionWriter definition) => definition.Text(name);
}
