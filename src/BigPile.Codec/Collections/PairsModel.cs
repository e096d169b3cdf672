using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A collection of keys and values: a map, after the comparer unless that is the default one.</summary>
internal abstract unsafe class PairsModel<TCollection, TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : MapModel(type, key, value, models)
    where TCollection : class
{
    private readonly ComparerCodec _comparers = new(models.Any);
    private readonly DistinctKeys<TKey> _distinct = new();

    /// <summary>Whether comparing keys needs neither the application's code nor the content of other objects.</summary>
    protected virtual bool HasSelfContainedKeys => SelfContainedKeys.Contains(typeof(TKey));

    /// <summary>Whether the collection orders its keys; if not, it hashes them.</summary>
    protected virtual bool IsSorted => false;

    /// <summary>The keys; none if they need not be distinct.</summary>
    protected virtual IEnumerable<TKey> KeysOf(TCollection collection) => collection is IDictionary<TKey, TValue> map ? map.Keys : [];

    /// <summary>Writes the map's header and its pairs.</summary>
    protected abstract byte* WriteMap(TCollection collection, byte* p, WriteContext c);

    /// <summary>Constructs the collection in place with all its pairs.</summary>
    protected abstract void Construct(TCollection target, KeyValuePair<TKey, TValue>[] pairs, object? comparer);

    /// <summary>The comparer of the keys; null for the default one.</summary>
    protected virtual object? ComparerOf(TCollection collection) => null;

    protected virtual ComparerCode CodeOf(object? comparer) =>
        IsSorted ? Comparers.CodeOf((IComparer<TKey>?)comparer) : Comparers.CodeOf((IEqualityComparer<TKey>?)comparer);

    public override byte* WriteContent(object target, int typeId, byte* p, WriteContext c)
    {
        var collection = (TCollection)target;
        object? comparer = ComparerOf(collection);
        ComparerCode code = CodeOf(comparer);
        if (p > c.End)
            p = c.Grow(p, 0);
        if (typeId != 0 || code != ComparerCode.Default)
            p = Encode.ArrayHeader(p, 1 + ComparerCodec.ExtraCount(code), typeId);
        p = _comparers.Write(code, comparer, p, c);
        if (_distinct.MayBeEqual(code))
            _distinct.Check(Type, KeysOf(collection), comparer, IsSorted, c);
        return WriteMap(collection, p, c);
    }

    protected override byte* Fill(object target, int count, byte* p, ReadContext c)
    {
        p = ReadHead(ref count, p, out KeyValuePair<TKey, TValue>[] pairs, out object? comparer, out bool isSelfContained, c);
        var collection = (TCollection)target;
        if (!isSelfContained)
            c.Complete(() => Construct(collection, pairs, comparer)); // deferred before those of the pairs, so that it runs after them
        p = ReadEach(pairs, p, c);
        if (isSelfContained)
            Construct(collection, pairs, comparer);
        return p;
    }

    protected byte* ReadPairs(
        ref int count, byte* p, out KeyValuePair<TKey, TValue>[] pairs, out object? comparer, out bool isSelfContained, ReadContext c)
    {
        p = ReadHead(ref count, p, out pairs, out comparer, out isSelfContained, c);
        return ReadEach(pairs, p, c);
    }

    private byte* ReadHead(
        ref int count, byte* p, out KeyValuePair<TKey, TValue>[] pairs, out object? comparer, out bool isSelfContained, ReadContext c)
    {
        p = _comparers.Read(ref count, p, out comparer, out bool isKnown, c);
        if (count is not (NoArray or 1))
            BadData.WrongCount(Type, count);
        p = c.MapHeader(p, out int length);
        pairs = new KeyValuePair<TKey, TValue>[length];
        isSelfContained = isKnown && HasSelfContainedKeys;
        return p;
    }

    private byte* ReadEach(KeyValuePair<TKey, TValue>[] pairs, byte* p, ReadContext c)
    {
        for (int i = 0; i < pairs.Length; i++)
        {
            p = Items.ReadOne(out TKey k, KeyCodec, p, c);
            p = Items.ReadOne(out TValue v, ValueCodec, p, c);
            pairs[i] = new(k, v);
        }
        return p;
    }

    protected byte* WriteEach<TEnumerator>(TEnumerator pairs, int count, byte* p, WriteContext c)
        where TEnumerator : IEnumerator<KeyValuePair<TKey, TValue>>
    {
        p = Encode.MapHeader(p, count);
        for (; pairs.MoveNext(); count--)
        {
            p = Items.WriteOne(pairs.Current.Key, KeyCodec, p, c);
            p = Items.WriteOne(pairs.Current.Value, ValueCodec, p, c);
        }
        Items.CheckUnchanged(count, Type);
        return p;
    }
}
