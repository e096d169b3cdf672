using System;
using System.Diagnostics;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A class of the application that derives from a collection: the content of the base, then the class's own fields.</summary>
internal sealed unsafe class DerivedCollectionModel(
    Type type, ContainerModel part, FieldList fields, ModelCache models, Action<object>? initialize = null)
    : ContainerModel(type, models)
{
    private readonly Callbacks? _callbacks = Callbacks.Of(type);

    /// <summary>The name, in definitions, of the member with the base's content.</summary>
    public const string BaseName = "<base>";

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        Debug.Assert(IsModelOf(value), "Fields are found by their offsets in exactly this type.");
        _callbacks?.BeforeWrite(value);
        if (p > c.End)
            p = c.Grow(p, 0);
        p = Encode.ArrayHeader(p, 1 + fields.Count, typeId);
        p = part.WriteContent(value, 0, p, c);
        if (p > c.End)
            p = c.Grow(p, 0);
        return fields.WriteFields(ref RawObject.Data(value), p, c);
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Fields, 1 + fields.Count);
        definition.Text(BaseName);
        definition.Entry(part);
        fields.DefineMembers(definition);
    }

    public override void Analyze(SharingAnalysis analysis)
    {
        part.Analyze(analysis);
        fields.Analyze(analysis);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        Debug.Assert(IsModelOf(value), "An object is filled by the model that made it.");
        if (count != 1 + fields.Count)
            BadData.WrongCount(Type, count);
        initialize?.Invoke(value);
        if (_callbacks is { } callbacks)
            c.Complete(() => callbacks.AfterRead(value)); // deferred before the elements are, so that it runs after theirs
        p = part.FillDeferred(value, p, c);
        return fields.ReadFields(ref RawObject.Data(value), p, c);
    }
}
