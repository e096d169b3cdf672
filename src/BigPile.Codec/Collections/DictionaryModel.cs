using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary><see cref="Dictionary{TKey, TValue}"/>: a map, after the comparer unless that is the default one.</summary>
internal sealed unsafe class DictionaryModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : MapModel(type, key, value, models)
    where TKey : notnull
{
    private readonly ComparerCodec _comparers = new(models.Any);
    private readonly bool _hasSelfContainedKeys = SelfContainedKeys.Contains(typeof(TKey));
    private readonly DistinctKeys<TKey> _distinct = new();

    public override byte* WriteContent(object target, int typeId, byte* p, WriteContext c)
    {
        var dictionary = (Dictionary<TKey, TValue>)target;
        ComparerCode code = Comparers.CodeOf(dictionary.Comparer);
        if (p > c.End)
            p = c.Grow(p, 0);
        if (typeId != 0 || code != ComparerCode.Default)
            p = Encode.ArrayHeader(p, 1 + ComparerCodec.ExtraCount(code), typeId);
        p = _comparers.Write(code, dictionary.Comparer, p, c);
        int count = dictionary.Count;
        if (_distinct.MayBeEqual(code))
            _distinct.Check(Type, dictionary.Keys, dictionary.Comparer, isSorted: false, c);
        p = Encode.MapHeader(p, count);
        foreach (KeyValuePair<TKey, TValue> pair in dictionary)
        {
            p = Items.WriteOne(pair.Key, KeyCodec, p, c);
            p = Items.WriteOne(pair.Value, ValueCodec, p, c);
            count--;
        }
        Items.CheckUnchanged(count, Type);
        return p;
    }

    protected override byte* Fill(object target, int count, byte* p, ReadContext c)
    {
        var dictionary = (Dictionary<TKey, TValue>)target;
        p = _comparers.Read(ref count, p, out IEqualityComparer<TKey>? comparer, out bool isKnown, c);
        if (count is not (NoArray or 1))
            BadData.WrongCount(Type, count);
        p = c.MapHeader(p, out int pairs);
        Constructors<TKey, TValue>.Construct(dictionary, pairs, comparer);
        return _hasSelfContainedKeys && isKnown ? AddNow(dictionary, pairs, p, c) : AddAfterwards(dictionary, pairs, p, c);
    }

    private byte* AddNow(Dictionary<TKey, TValue> dictionary, int pairs, byte* p, ReadContext c)
    {
        for (int i = 0; i < pairs; i++)
        {
            p = Items.ReadOne(out TKey k, KeyCodec, p, c);
            p = Items.ReadOne(out TValue v, ValueCodec, p, c);
            dictionary.Add(k, v);
        }
        return p;
    }

    // The hash of such a key may depend on content that is read later.
    private byte* AddAfterwards(Dictionary<TKey, TValue> dictionary, int pairs, byte* p, ReadContext c)
    {
        var items = new KeyValuePair<TKey, TValue>[pairs];
        c.Complete(() => // deferred before the elements are read: deferred actions run in reverse, so those of the elements run first
        {
            foreach (KeyValuePair<TKey, TValue> item in items)
                dictionary.Add(item.Key, item.Value);
        });
        for (int i = 0; i < pairs; i++)
        {
            p = Items.ReadOne(out TKey k, KeyCodec, p, c);
            p = Items.ReadOne(out TValue v, ValueCodec, p, c);
            items[i] = new(k, v);
        }
        return p;
    }
}
