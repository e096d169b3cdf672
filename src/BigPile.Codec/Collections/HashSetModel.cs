using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary><see cref="HashSet{T}"/>: its elements, after the comparer unless that is the default one.</summary>
internal sealed unsafe class HashSetModel<T>(Type type, FieldCodec codec, ModelCache models) : ItemsModel(type, codec, models)
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
            p = Items.WriteOne(item, ItemCodec, p, c);
            count--;
        }
        Items.CheckUnchanged(count, Type);
        return p;
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        var set = (HashSet<T>)value;
        p = _comparers.Read(ref count, p, out IEqualityComparer<T>? comparer, out bool isKnown, c);
        Charge(count, p, c);
        Constructors<T>.Construct(set, count, comparer);
        var items = new T[count];
        bool isSelfContained = _hasSelfContainedItems && isKnown;
        if (!isSelfContained)
            c.Complete(() => Add(set, items)); // deferred before the elements are read, so that it runs after their own deferred actions
        p = Items.Read<T>(items, ItemCodec, p, c);
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
