using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Values;

/// <summary>The wire format of a value type that holds no references.</summary>
internal unsafe interface ILeafFormat<T>
{
    static abstract byte* Write(byte* p, T value);

    static abstract byte* Read(byte* p, ref T field, ReadContext c);
}

/// <summary>The codec of a value type with a leaf format.</summary>
internal sealed unsafe class LeafCodec<T, TFormat>(string name, FieldKind kind = FieldKind.Other) : FieldCodec
    where TFormat : ILeafFormat<T>
{
    public override FieldKind Kind => kind;

    public override string? LeafName => name;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => TFormat.Write(p, Unsafe.As<byte, T>(ref field));

    public override byte* Read(ref byte field, byte* p, ReadContext c) => TFormat.Read(p, ref Unsafe.As<byte, T>(ref field), c);

    public override FieldCodec ElementWise() => new LeafCodec<T, TFormat>(name);

    public override void Describe(DefinitionWriter definition) => definition.Text(name);
}
