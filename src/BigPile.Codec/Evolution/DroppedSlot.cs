using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Evolution;

/// <summary>Reads a value and forgets it. The objects in it are numbered as ever.</summary>
internal sealed unsafe class DroppedSlot(Slot inner, Type valueType, bool isNullable) : Slot
{
    public override bool IsLeaf => inner.IsLeaf;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => throw new NotSupportedException();

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        if (isNullable && *p == Code.Nil)
            return p + 1;
        bool wasDropping = c.IsDropping;
        c.IsDropping = true;
        p = ReadForgotten(p, c);
        c.IsDropping = wasDropping;
        return p;
    }

    private byte* ReadForgotten(byte* p, ReadContext c)
    {
        if (valueType.IsValueType)
            return inner.Read(ref RawObject.Data(RuntimeHelpers.GetUninitializedObject(valueType)), p, c);
        object? forgotten = null;
        return inner.Read(ref Unsafe.As<object?, byte>(ref forgotten), p, c);
    }

    public override void Describe(DefinitionWriter definition) => throw new NotSupportedException();
}

/// <summary>A place for a structure whose type is gone.</summary>
internal sealed unsafe class PassingSlot(TypeModel structure) : Slot
{
    public override bool IsLeaf => false;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => throw new NotSupportedException();

    public override byte* Read(ref byte field, byte* p, ReadContext c) => ((PassingModel)structure).Pass(p, c);

    public override void Describe(DefinitionWriter definition) => throw new NotSupportedException();
}

/// <summary>
/// A place for a union whose type is gone: its objects say nothing of their types, so only empty places can be passed over.
/// </summary>
internal sealed unsafe class PassingUnionSlot(Slot any) : Slot
{
    public override bool IsLeaf => false;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => throw new NotSupportedException();

    public override byte* Read(ref byte field, byte* p, ReadContext c) => any.Read(ref field, p, c);

    public override void Describe(DefinitionWriter definition) => throw new NotSupportedException();
}
