using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Evolution;

/// <summary>Reads a value and discards it. The objects in it are numbered nevertheless.</summary>
internal sealed unsafe class DiscardCodec(FieldCodec inner, Type valueType, bool isNullable) : FieldCodec
{
    public override bool IsLeaf => inner.IsLeaf;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => throw new NotSupportedException();

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        if (isNullable && *p == Code.Nil)
            return p + 1;
        Debug.Assert(
            valueType.IsValueType || inner.Kind is FieldKind.Other or FieldKind.String or FieldKind.Reference,
            "A primitive is not read into a reference.");
        bool wasDiscarding = c.IsDiscarding;
        c.IsDiscarding = true;
        p = ReadAndDiscard(p, c);
        Debug.Assert(c.IsDiscarding, "A member inside leaves the state as it was.");
        c.IsDiscarding = wasDiscarding;
        return p;
    }

    private byte* ReadAndDiscard(byte* p, ReadContext c)
    {
        if (valueType.IsValueType)
            return inner.Read(ref RawObject.Data(RuntimeHelpers.GetUninitializedObject(valueType)), p, c);
        object? discarded = null;
        return inner.Read(ref Unsafe.As<object?, byte>(ref discarded), p, c);
    }

    public override void Describe(DefinitionWriter definition) => throw new NotSupportedException();
}

/// <summary>Skips a structure whose type no longer exists.</summary>
internal sealed unsafe class SkipCodec(TypeModel structure) : FieldCodec
{
    public override bool IsLeaf => false;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => throw new NotSupportedException();

    public override byte* Read(ref byte field, byte* p, ReadContext c) => ((SkipModel)structure).Skip(p, c);

    public override void Describe(DefinitionWriter definition) => throw new NotSupportedException();
}

/// <summary>
/// Reads a union whose type no longer exists. An object of a listed type has a key instead of a type id, so nothing can read it: only nil
/// and objects with type ids can be read.
/// </summary>
internal sealed unsafe class SkipUnionCodec(FieldCodec any) : FieldCodec
{
    public override bool IsLeaf => false;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => throw new NotSupportedException();

    public override byte* Read(ref byte field, byte* p, ReadContext c) => any.Read(ref field, p, c);

    public override void Describe(DefinitionWriter definition) => throw new NotSupportedException();
}
