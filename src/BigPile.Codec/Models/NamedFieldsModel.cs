using System;
using System.Diagnostics;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>Objects of a contract type whose keys are names.</summary>
internal sealed unsafe class NamedFieldsModel(Type type, NamedFields fields, ModelCache models, Action<object>? initialize = null)
    : ContainerModel(type, models)
{
    private readonly Callbacks? _callbacks = Callbacks.Of(type);

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        Debug.Assert(IsModelOf(value), "Fields are found by their offsets in exactly this type.");
        _callbacks?.BeforeWrite(value);
        if (typeId != 0)
            p = Encode.ArrayHeader(c.Reserve(p, 0), 1, typeId);
        return fields.Write(ref RawObject.Data(value), p, c);
    }

    public override void Define(DefinitionWriter definition) => fields.Define(definition);

    public override void Analyze(SharingAnalysis analysis) => fields.Analyze(analysis);

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        Debug.Assert(IsModelOf(value), "An object is filled by the model that made it.");
        if (count is not (NoArray or 1))
            BadData.WrongCount(Type, count);
        initialize?.Invoke(value);
        if (_callbacks is { } callbacks)
            c.Complete(() => callbacks.AfterRead(value));
        return fields.Read(ref RawObject.Data(value), p, c);
    }
}
