using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A concurrent dictionary: a snapshot of its pairs.</summary>
internal sealed unsafe class ConcurrentDictionaryModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<ConcurrentDictionary<TKey, TValue>, TKey, TValue>(type, key, value, models)
    where TKey : notnull
{
    protected override byte* WriteMap(ConcurrentDictionary<TKey, TValue> collection, byte* p, WriteContext c)
    {
        KeyValuePair<TKey, TValue>[] pairs = collection.ToArray();
        return WriteEach(((IEnumerable<KeyValuePair<TKey, TValue>>)pairs).GetEnumerator(), pairs.Length, p, c);
    }

    protected override object? ComparerOf(ConcurrentDictionary<TKey, TValue> collection) => collection.Comparer;

    protected override void Construct(ConcurrentDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        Constructors<TKey, TValue>.Construct(target, (IEqualityComparer<TKey>?)comparer);
        foreach (KeyValuePair<TKey, TValue> pair in pairs)
        {
            if (!target.TryAdd(pair.Key, pair.Value))
                BadData.Invalid("a dictionary holds one key twice");
        }
    }
}
