using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.Dynamic;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A dictionary that keeps the order in which its keys were added, with its comparer.</summary>
internal sealed unsafe class OrderedDictionaryModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<OrderedDictionary<TKey, TValue>, TKey, TValue>(type, key, value, models)
    where TKey : notnull
{
    protected override byte* WriteMap(OrderedDictionary<TKey, TValue> collection, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), collection.Count, p, c);

    protected override object? ComparerOf(OrderedDictionary<TKey, TValue> collection) => collection.Comparer;

    protected override void Construct(OrderedDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer)
    {
        Constructors<TKey, TValue>.Construct(target, pairs.Length, (IEqualityComparer<TKey>?)comparer);
        foreach (KeyValuePair<TKey, TValue> pair in pairs)
            target.Add(pair.Key, pair.Value);
    }
}

/// <summary><see cref="ExpandoObject"/>: a map of its members. Its observers are not stored.</summary>
internal sealed unsafe class ExpandoModel(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<ExpandoObject, string, object?>(type, key, value, models)
{
    protected override byte* WriteMap(ExpandoObject collection, byte* p, WriteContext c)
    {
        KeyValuePair<string, object?>[] members = [.. collection];
        return WriteEach(((IEnumerable<KeyValuePair<string, object?>>)members).GetEnumerator(), members.Length, p, c);
    }

    protected override void Construct(ExpandoObject target, KeyValuePair<string, object?>[] pairs, object? comparer)
    {
        LegacyMapAccess.Construct(target);
        foreach (KeyValuePair<string, object?> pair in pairs)
            ((IDictionary<string, object?>)target).Add(pair);
    }
}

/// <summary><see cref="NameValueCollection"/>: a map of names to arrays of values.</summary>
internal sealed unsafe class NameValueModel(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<NameValueCollection, string?, string[]?>(type, key, value, models)
{
    protected override byte* WriteMap(NameValueCollection collection, byte* p, WriteContext c)
    {
        var pairs = new List<KeyValuePair<string?, string[]?>>(collection.Count);
        for (int i = 0; i < collection.Count; i++)
            pairs.Add(new(collection.GetKey(i), collection.GetValues(i)));
        return WriteEach(pairs.GetEnumerator(), pairs.Count, p, c);
    }

    protected override object? ComparerOf(NameValueCollection collection) => LegacyMapAccess.Comparer(collection);

    protected override ComparerCode CodeOf(object? comparer) => Comparers.CodeOfUntyped(comparer);

    protected override void Construct(NameValueCollection target, KeyValuePair<string?, string[]?>[] pairs, object? comparer)
    {
        if (comparer is not (null or IEqualityComparer))
            BadData.Invalid("its comparer does not fit its elements");
        LegacyMapAccess.Construct(target, (IEqualityComparer?)comparer);
        foreach ((string? name, string[]? values) in pairs)
        {
            if (values is null)
                target.Add(name, null);
            foreach (string text in values ?? [])
                target.Add(name, text);
        }
    }
}

/// <summary>Constructs such maps in place, and accesses their private members.</summary>
internal static class LegacyMapAccess
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ExpandoObject target);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(NameValueCollection target, IEqualityComparer? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_Comparer")]
    public static extern IEqualityComparer? Comparer(NameObjectCollectionBase target);
}
