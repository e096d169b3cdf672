using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>A value in a box whose wire form is one value of its own: numbers, enums, dates.</summary>
internal sealed unsafe class BoxedModel(Type type, FieldCodec codec, ModelCache models) : TypeModel(type, models)
{
    public override bool IsTracked => !codec.IsLeaf;

    public override bool IsLeaf => codec.IsLeaf;

    public override bool CanDefer => false;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
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

    // The value's own form may be an array.
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

/// <summary>Immutable objects that are text: <see cref="Uri"/>, <see cref="Version"/> and the like.</summary>
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

/// <summary>What has no place in a pile.</summary>
internal sealed unsafe class RefusedModel(Type type, string reason, ModelCache models, bool isStillRead = false) : TypeModel(type, models)
{
    public override bool IsTracked => false;

    public string Reason => reason;

    /// <summary>Older versions stored such objects, and their payloads are read.</summary>
    public bool IsStillRead => isStillRead;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c) => throw new RefusedException(Type, reason);

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c) =>
        throw new PileSerializationException(reason);

    public override void Define(DefinitionWriter definition) => throw new RefusedException(Type, reason);
}
