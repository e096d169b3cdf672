using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary><see cref="HashSet{T}"/>: its elements, after the comparer unless that is the default one.</summary>
internal sealed unsafe class HashSetModel<T>(Type type, FieldCodec codec, ModelCache models) : ContainerModel(type, models)
{
    private readonly ComparerCodec _comparers = new(models.Any);
    private readonly bool _hasSelfContainedItems = SelfContainedKeys.Contains(typeof(T));
    private readonly DistinctKeys<T> _distinct = new();

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        var set = (HashSet<T>)value;
        ComparerCode code = Comparers.CodeOf(set.Comparer);
        if (p > c.End)
            p = c.Grow(p, 0);
        int count = set.Count;
        if (_distinct.MayBeEqual(code))
            _distinct.Check(Type, set, set.Comparer, isSorted: false, c);
        p = Encode.ArrayHeader(p, count + ComparerCodec.ExtraCount(code), typeId);
        p = _comparers.Write(code, set.Comparer, p, c);
        foreach (T item in set)
        {
            p = Items.WriteOne(item, codec, p, c);
            count--;
        }
        Items.CheckUnchanged(count, Type);
        return p;
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Items, 1);
        definition.Text("item");
        codec.Describe(definition);
    }

    public override void Analyze(SharingAnalysis analysis) => analysis.ReachEach(codec);

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        var set = (HashSet<T>)value;
        p = _comparers.Read(ref count, p, out IEqualityComparer<T>? comparer, out bool isKnown, c);
        if (count < 0)
            BadData.Unexpected(*p, $"a {Type}");
        c.Charge((long)count * codec.LeastBytes);
        HashSetAccess<T>.Construct(set, count, comparer);
        var items = new T[count];
        bool isSelfContained = _hasSelfContainedItems && isKnown;
        if (!isSelfContained)
            c.Complete(() => Add(set, items)); // deferred before the elements are read, so that it runs after their own deferred actions
        p = Items.Read<T>(items, codec, p, c);
        if (isSelfContained)
            Add(set, items);
        return p;
    }

    private static void Add(HashSet<T> set, T[] items)
    {
        foreach (T item in items)
        {
            if (!set.Add(item))
                BadData.Invalid("a set holds one element twice");
        }
    }
}

/// <summary>Constructs sets in place.</summary>
internal static class HashSetAccess<T>
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(HashSet<T> set, int capacity, IEqualityComparer<T>? comparer);
}
