using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
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

    protected override ComparerCode ComparerOf(SortedDictionary<TKey, TValue> collection, out object? comparer)
    {
        comparer = collection.Comparer;
        return Comparers.CodeOf(collection.Comparer);
    }

    protected override void Construct(SortedDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        SortedAccess<TKey, TValue>.Dictionary(target, (IComparer<TKey>?)comparer);
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

    protected override ComparerCode ComparerOf(SortedList<TKey, TValue> collection, out object? comparer)
    {
        comparer = collection.Comparer;
        return Comparers.CodeOf(collection.Comparer);
    }

    protected override void Construct(SortedList<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        SortedAccess<TKey, TValue>.List(target, pairs.Length, (IComparer<TKey>?)comparer);
        foreach (KeyValuePair<TKey, TValue> pair in pairs)
            target.Add(pair.Key, pair.Value);
    }
}

/// <summary>Constructs sorted collections in place.</summary>
internal static class SortedAccess<TKey, TValue>
    where TKey : notnull
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Dictionary(SortedDictionary<TKey, TValue> target, IComparer<TKey>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void List(SortedList<TKey, TValue> target, int capacity, IComparer<TKey>? comparer);
}
