using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>Boxed values whose type has a codec of its own: numbers, enumerations, dates.</summary>
internal sealed unsafe class BoxedModel(Type type, FieldCodec codec, ModelCache models) : TypeModel(type, models)
{
    public override bool IsTracked => !codec.IsLeaf;

    public override bool IsLeaf => codec.IsLeaf;

    public override bool CanDefer => false;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        Debug.Assert(IsModelOf(value), "A box is read as a value of exactly this type.");
        if (typeId != 0)
            p = Encode.ArrayHeader(p, 1, typeId);
        return codec.Write(ref RawObject.Data(value), p, c);
    }

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        if (count != 1)
            BadData.WrongCount(Type, count);
        return ReadExact(ref target, p, c);
    }

    // Unlike in the base class, a leading array header is not the content's but may be the value's own.
    public override byte* ReadExact(ref object? target, byte* p, ReadContext c)
    {
        object value = RuntimeHelpers.GetUninitializedObject(Type);
        target = value;
        if (IsTracked)
            c.Register(value);
        p = codec.Read(ref RawObject.Data(value), p, c);
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, IsTracked ? SchemaForm.ObjectValue : SchemaForm.Value, 1);
        definition.Text("value");
        codec.Describe(definition);
    }

    public override void Analyze(SharingAnalysis analysis) => codec.Analyze(analysis);
}

/// <summary>Immutable objects that are stored as one text: <see cref="Uri"/>, <see cref="Version"/> and the like.</summary>
internal sealed unsafe class TextModel<T>(ModelCache models, Func<T, string> format, Func<string, T> parse)
    : TypeModel(typeof(T), models)
    where T : class
{
    public override bool IsLeaf => true;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        if (typeId != 0)
            p = Encode.ArrayHeader(p, 1, typeId);
        return TextEncode.String(p, format((T)value), c);
    }

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        if (count is not (NoArray or 1))
            BadData.WrongCount(Type, count);
        string? text = null;
        p = TextDecode.String(p, ref text, c);
        if (text is null)
            BadData.Invalid($"a {typeof(T)} has no text");
        T value = parse(text);
        target = value;
        c.Register(value);
        return p;
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.ObjectValue, 1);
        definition.Text("value");
        definition.Text("string");
    }
}

/// <summary>Objects that can't be stored: each write is refused.</summary>
internal sealed unsafe class RefusedModel(Type type, string reason, ModelCache models, bool isStillRead = false) : TypeModel(type, models)
{
    public override bool IsTracked => false;

    public string Reason => reason;

    /// <summary>Whether payloads of such objects, which older versions wrote, are still read.</summary>
    public bool IsStillRead => isStillRead;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c) => throw new RefusedException(Type, reason);

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c) =>
        throw new PileSerializationException(reason);

    public override void Define(DefinitionWriter definition) => throw new RefusedException(Type, reason);
}
