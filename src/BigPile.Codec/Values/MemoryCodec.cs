using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Values;

/// <summary>
/// The codec of <c>Memory</c> and <c>ReadOnlyMemory</c>: an array of the elements. A value read back is backed by an array of its own.
/// </summary>
internal sealed unsafe class MemoryCodec<T>(FieldCodec array) : FieldCodec
{
    public override bool IsLeaf => array.IsLeaf;

    // Memory and ReadOnlyMemory have the same layout.
    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        T[] items = Unsafe.As<byte, ReadOnlyMemory<T>>(ref field).ToArray();
        return array.Write(ref Unsafe.As<T[], byte>(ref items), p, c);
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        T[]? items = null;
        p = array.Read(ref Unsafe.As<T[]?, byte>(ref items), p, c);
        Unsafe.As<byte, ReadOnlyMemory<T>>(ref field) = items;
        return p;
    }

    public override void Describe(DefinitionWriter definition) => array.Describe(definition);

    public override void Analyze(SharingAnalysis analysis) => array.Analyze(analysis);
}
