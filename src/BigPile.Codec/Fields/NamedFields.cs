using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Fields;

/// <summary>The fields of a contract type whose keys are names; written as a map.</summary>
internal sealed unsafe class NamedFields : IDefined
{
    private readonly FieldPlan[] _plans;
    private readonly byte[][] _keys;
    private readonly Dictionary<string, int> _indexes = new(StringComparer.Ordinal);

    public NamedFields(Type type, FieldPlan[] plans)
    {
        Type = type;
        _plans = plans;
        _keys = Array.ConvertAll(plans, plan => Encoding.UTF8.GetBytes(plan.Name));
        IsLeaf = Array.TrueForAll(plans, plan => plan.Codec.IsLeaf);
        for (int i = 0; i < plans.Length; i++)
            _indexes[plans[i].Name] = i;
    }

    public Type Type { get; }

    public bool IsLeaf { get; }

    public byte* Write(ref byte data, byte* p, WriteContext c)
    {
        p = Encode.MapHeader(c.Reserve(p, 0), _plans.Length);
        for (int i = 0; i < _plans.Length; i++)
        {
            byte[] key = _keys[i];
            p = ContractText.Write(c.Reserve(p, key.Length), key);
            c.Path?.Add(_plans[i].Name);
            p = FieldInterpreter.WriteOne(in _plans[i], ref data, c.Reserve(p, 0), c);
            Debug.Assert(c.Path is null || c.Path[^1] == _plans[i].Name, "The fields inside have taken their names off the path.");
            c.Path?.RemoveAt(c.Path.Count - 1);
        }
        return p;
    }

    public byte* Read(ref byte data, byte* p, ReadContext c)
    {
        p = c.MapHeader(p, out int count);
        if (count != _plans.Length)
            BadData.WrongCount(Type, count);
        for (int i = 0; i < count; i++)
        {
            p = ContractText.Read(p, out ReadOnlySpan<byte> key, c);
            p = FieldInterpreter.ReadOne(in _plans[IndexOf(key, i)], ref data, p, c);
            if (p > c.End)
                BadData.Truncated();
        }
        return p;
    }

    public void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, Type.IsValueType ? SchemaForm.NamedStructure : SchemaForm.NamedFields, _plans.Length);
        foreach (FieldPlan plan in _plans)
        {
            definition.Text(plan.Name);
            plan.Codec.Describe(definition);
        }
    }

    public void Analyze(SharingAnalysis analysis)
    {
        foreach (FieldPlan plan in _plans)
            plan.Codec.Analyze(analysis);
    }

    // Members are usually stored in the order of the plans. The dictionary finds those that are not.
    private int IndexOf(ReadOnlySpan<byte> key, int expected)
    {
        if (key.SequenceEqual(_keys[expected]))
            return expected;
        if (!_indexes.TryGetValue(Encoding.UTF8.GetString(key), out int index))
            BadData.Invalid($"type {Type} has no such member");
        return index;
    }
}

/// <summary>The codec of a structure whose keys are names.</summary>
internal sealed unsafe class NamedStructCodec(NamedFields fields) : FieldCodec
{
    public NamedFields Fields => fields;

    public override bool IsLeaf => fields.IsLeaf;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => fields.Write(ref field, p, c);

    public override byte* Read(ref byte field, byte* p, ReadContext c) => fields.Read(ref field, p, c);

    public override void Describe(DefinitionWriter definition) => definition.Entry(fields);

    public override void Analyze(SharingAnalysis analysis) => fields.Analyze(analysis);
}
