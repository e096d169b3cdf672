using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>A place for a string. Strings keep no identity.</summary>
internal sealed unsafe class StringCodec : FieldCodec
{
    public override FieldKind Kind => FieldKind.String;

    public override byte* Write(ref byte field, byte* p, WriteContext c) =>
        TextEncode.String(p, Unsafe.As<byte, string?>(ref field), c);

    public override byte* Read(ref byte field, byte* p, ReadContext c) =>
        TextDecode.String(p, ref Unsafe.As<byte, string?>(ref field), c);

    public override void Describe(DefinitionWriter definition) => definition.Text("string");
}
