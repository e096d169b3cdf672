using System;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A container of elements of one type: an array of them.</summary>
internal abstract unsafe class ItemsModel(Type type, FieldCodec codec, ModelCache models) : ContainerModel(type, models)
{
    protected FieldCodec ItemCodec { get; } = codec;

    /// <summary>The name of the elements in definitions.</summary>
    protected virtual string ItemName => "item";

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Items, 1);
        definition.Text(ItemName);
        ItemCodec.Describe(definition);
    }

    public override void Analyze(SharingAnalysis analysis) => analysis.ReachEach(ItemCodec);

    /// <summary>Checks the count of an array's header, before memory is claimed for so many elements.</summary>
    protected void Charge(int count, byte* p, ReadContext c)
    {
        if (count < 0)
            BadData.Unexpected(*p, $"a {Type}");
        c.Charge((long)count * ItemCodec.LeastBytes);
    }
}

/// <summary>A container of keys and values: a map of them.</summary>
internal abstract class MapModel(Type type, FieldCodec key, FieldCodec value, ModelCache models) : ContainerModel(type, models)
{
    protected FieldCodec KeyCodec { get; } = key;

    protected FieldCodec ValueCodec { get; } = value;

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Pairs, 2);
        definition.Text("key");
        KeyCodec.Describe(definition);
        definition.Text("value");
        ValueCodec.Describe(definition);
    }

    public override void Analyze(SharingAnalysis analysis)
    {
        analysis.ReachEach(KeyCodec);
        analysis.ReachEach(ValueCodec);
    }
}
