using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>The codec of a string. Strings do not keep their identity: shared ones become copies.</summary>
internal sealed unsafe class StringCodec : FieldCodec
{
    public override FieldKind Kind => FieldKind.String;

    public override byte* Write(ref byte field, byte* p, WriteContext c) =>
        TextEncode.String(p, Unsafe.As<byte, string?>(ref field), c);

    public override byte* Read(ref byte field, byte* p, ReadContext c) =>
        TextDecode.String(p, ref Unsafe.As<byte, string?>(ref field), c);

    public override void Describe(DefinitionWriter definition) => definition.Text("string");
}
