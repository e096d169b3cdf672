using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Values;

/// <summary>
/// A place for a view of elements: an array of them. What is read back is a view of an array of its own, whatever it was a view of.
/// </summary>
internal sealed unsafe class MemoryCodec<T>(FieldCodec array) : FieldCodec
{
    public override bool IsLeaf => array.IsLeaf;

    // The two types of view differ in what they let the application do, not in what they are.
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
