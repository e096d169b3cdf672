using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Fields;

/// <summary>The codec of a property of a class, through its getter and setter. The field passed is the object's first one.</summary>
/// <remarks>The setter runs while the object is read, in the order of the keys. Without a setter the value is read and discarded.</remarks>
internal sealed unsafe class PropertyCodec<TOwner, TValue>(PropertyInfo property, FieldCodec inner) : FieldCodec
    where TOwner : class
{
    private readonly Func<TOwner, TValue> _get = property.GetMethod!.CreateDelegate<Func<TOwner, TValue>>();
    private readonly Action<TOwner, TValue>? _set = property.SetMethod?.CreateDelegate<Action<TOwner, TValue>>();

    public override bool IsLeaf => inner.IsLeaf;

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        Debug.Assert(RawObject.Owner(ref field) is TOwner, "The field passed is the first one of an object of the owner's type.");
        TValue value = _get(Unsafe.As<TOwner>(RawObject.Owner(ref field)));
        return inner.Write(ref Unsafe.As<TValue, byte>(ref value), p, c);
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        TValue value = default!;
        p = inner.Read(ref Unsafe.As<TValue, byte>(ref value), p, c);
        Debug.Assert(RawObject.Owner(ref field) is TOwner, "The field passed is the first one of an object of the owner's type.");
        _set?.Invoke(Unsafe.As<TOwner>(RawObject.Owner(ref field)), value);
        return p;
    }

    public override void Describe(DefinitionWriter definition) => inner.Describe(definition);

    public override void Analyze(SharingAnalysis analysis) => inner.Analyze(analysis);
}

/// <summary>The codec of a property of a structure, through its getter and setter. The field passed is the structure.</summary>
internal sealed unsafe class StructPropertyCodec<TOwner, TValue>(PropertyInfo property, FieldCodec inner) : FieldCodec
    where TOwner : struct
{
    private readonly Getter _get = property.GetMethod!.CreateDelegate<Getter>();
    private readonly Setter? _set = property.SetMethod?.CreateDelegate<Setter>();

    private delegate TValue Getter(ref TOwner owner);

    private delegate void Setter(ref TOwner owner, TValue value);

    public override bool IsLeaf => inner.IsLeaf;

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        TValue value = _get(ref Unsafe.As<byte, TOwner>(ref field));
        return inner.Write(ref Unsafe.As<TValue, byte>(ref value), p, c);
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        TValue value = default!;
        p = inner.Read(ref Unsafe.As<TValue, byte>(ref value), p, c);
        _set?.Invoke(ref Unsafe.As<byte, TOwner>(ref field), value);
        return p;
    }

    public override void Describe(DefinitionWriter definition) => inner.Describe(definition);

    public override void Analyze(SharingAnalysis analysis) => inner.Analyze(analysis);
}
