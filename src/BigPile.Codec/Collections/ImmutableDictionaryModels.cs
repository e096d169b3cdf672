using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using BigPile.Codec.Graph;

namespace BigPile.Codec.Collections;

/// <summary>An immutable dictionary, with its comparer.</summary>
internal sealed unsafe class ImmutableDictionaryModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<ImmutableDictionary<TKey, TValue>, TKey, TValue>(type, key, value, models)
    where TKey : notnull
{
    protected override byte* WriteMap(ImmutableDictionary<TKey, TValue> collection, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), collection.Count, p, c);

    protected override object? ComparerOf(ImmutableDictionary<TKey, TValue> collection)
    {
        if (!collection.ValueComparer.Equals(EqualityComparer<TValue>.Default))
            throw new PileSerializationException($"A {Type} with a comparer for its values can't be stored.");
        return collection.KeyComparer;
    }

    protected override void Construct(ImmutableDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        StateCopier.CopyInto(target, ImmutableDictionary.CreateRange((IEqualityComparer<TKey>?)comparer, pairs));
    }
}

/// <summary>An immutable sorted dictionary, with its comparer.</summary>
internal sealed unsafe class ImmutableSortedDictionaryModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<ImmutableSortedDictionary<TKey, TValue>, TKey, TValue>(type, key, value, models)
    where TKey : notnull
{
    protected override bool IsSorted => true;

    protected override byte* WriteMap(ImmutableSortedDictionary<TKey, TValue> collection, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), collection.Count, p, c);

    protected override object? ComparerOf(ImmutableSortedDictionary<TKey, TValue> collection)
    {
        if (!collection.ValueComparer.Equals(EqualityComparer<TValue>.Default))
            throw new PileSerializationException($"A {Type} with a comparer for its values can't be stored.");
        return collection.KeyComparer;
    }

    protected override void Construct(ImmutableSortedDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        StateCopier.CopyInto(target, ImmutableSortedDictionary.CreateRange((IComparer<TKey>?)comparer, pairs));
    }
}
