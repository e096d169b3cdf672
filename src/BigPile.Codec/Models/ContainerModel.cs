using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>A container that is made before its content is read, so that its elements may refer to it.</summary>
internal abstract unsafe class ContainerModel(Type type, ModelCache models) : TypeModel(type, models)
{
    private readonly bool _hasFinalizer = Finalizers.AreOn(type);

    /// <summary>The class to instantiate: the type, or a class that derives from it.</summary>
    protected virtual Type MadeType => Type;

    /// <summary>Reads the content into an object that <see cref="Create"/> made.</summary>
    protected abstract byte* Fill(object value, int count, byte* p, ReadContext c);

    /// <summary>Makes the object, without running a constructor: <see cref="Fill"/> runs it, when the comparer is known.</summary>
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

    private object Make(ReadContext c)
    {
        object value = RuntimeHelpers.GetUninitializedObject(MadeType);
        if (_hasFinalizer)
        {
            // If the payload turns out to be bad, the object stays half filled, and must never be finalized.
            GC.SuppressFinalize(value);
            c.FinalizeLater(value);
        }
        return value;
    }

    private byte* FillDeeper(object value, int count, byte* p, ReadContext c)
    {
        Debug.Assert(Type.IsInstanceOfType(value), "A container is filled by a model of its class, or of one that it derives from.");
        if (++c.Depth > WriteContext.DepthLimit && !IsLeaf)
            c.EnterDeep();
        p = Fill(value, count, p, c);
        Debug.Assert(c.Depth > 0, "An object inside leaves as often as it enters.");
        c.Depth--;
        if (p > c.End)
            BadData.Truncated();
        return p;
    }
}
