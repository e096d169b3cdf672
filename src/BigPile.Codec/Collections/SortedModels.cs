using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;

namespace BigPile.Codec.Collections;

/// <summary>A sorted dictionary, with its comparer.</summary>
internal sealed unsafe class SortedDictionaryModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<SortedDictionary<TKey, TValue>, TKey, TValue>(type, key, value, models)
    where TKey : notnull
{
    protected override bool IsSorted => true;

    protected override byte* WriteMap(SortedDictionary<TKey, TValue> collection, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), collection.Count, p, c);

    protected override object? ComparerOf(SortedDictionary<TKey, TValue> collection) => collection.Comparer;

    protected override void Construct(SortedDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        Constructors<TKey, TValue>.Construct(target, (IComparer<TKey>?)comparer);
        foreach (KeyValuePair<TKey, TValue> pair in pairs)
            target.Add(pair.Key, pair.Value);
    }
}

/// <summary>A sorted list, with its comparer.</summary>
internal sealed unsafe class SortedListModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<SortedList<TKey, TValue>, TKey, TValue>(type, key, value, models)
    where TKey : notnull
{
    protected override bool IsSorted => true;

    protected override byte* WriteMap(SortedList<TKey, TValue> collection, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), collection.Count, p, c);

    protected override object? ComparerOf(SortedList<TKey, TValue> collection) => collection.Comparer;

    protected override void Construct(SortedList<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        Constructors<TKey, TValue>.Construct(target, pairs.Length, (IComparer<TKey>?)comparer);
        foreach (KeyValuePair<TKey, TValue> pair in pairs)
            target.Add(pair.Key, pair.Value);
    }
}
