using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>A container that exists before its content: references to it are right whatever its elements refer to.</summary>
internal abstract unsafe class ContainerModel(Type type, ModelCache models) : TypeModel(type, models)
{
    private readonly bool _hasFinalizer = Finalizers.AreOn(type);

    /// <summary>The class of what is made: one that derives from the type, or the type itself.</summary>
    protected virtual Type MadeType => Type;

    /// <summary>Reads the content into an object that <see cref="Create"/> made.</summary>
    protected abstract byte* Fill(object value, int count, byte* p, ReadContext c);

    /// <summary>Makes the object. A collection is constructed in place when its content, and with it the comparer, is read.</summary>
    protected virtual object Create(int count, byte* p, ReadContext c) => Make(c);

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        object value = Create(count, p, c);
        target = value;
        c.Register(value);
        return FillDeeper(value, count, p, c);
    }

    public override object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c)
    {
        if (lengths.Length != 0)
            BadData.BadReference();
        return Make(c);
    }

    public override byte* FillDeferred(object value, byte* p, ReadContext c)
    {
        int count = NoArray;
        if (Code.IsArray(*p))
            p = c.ArrayHeader(p, out count);
        return FillDeeper(value, count, p, c);
    }

    // An object that is only half filled when the payload turns out to be bad must not be finalized.
    private object Make(ReadContext c)
    {
        object value = RuntimeHelpers.GetUninitializedObject(MadeType);
        if (_hasFinalizer)
        {
            GC.SuppressFinalize(value);
            c.FinalizeLater(value);
        }
        return value;
    }

    private byte* FillDeeper(object value, int count, byte* p, ReadContext c)
    {
        if (++c.Depth > WriteContext.DepthLimit && !IsLeaf)
            c.EnterDeep();
        p = Fill(value, count, p, c);
        c.Depth--;
        if (p > c.End)
            BadData.Truncated();
        return p;
    }
}
