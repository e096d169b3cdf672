using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;

namespace BigPile.Codec.Collections;

/// <summary>A lookup: a pair of key and element for each element, in the order of the groups, after the comparer.</summary>
internal sealed unsafe class LookupModel<TKey, TElement>(Type type, FieldCodec pair, ModelCache models)
    : SequenceModel<ILookup<TKey, TElement>, KeyValuePair<TKey, TElement>>(type, pair, models)
{
    private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic;

    // The class that ToLookup returns, which implements more than the public one. The comparer keeps the key's own code from being called.
    private static readonly Type Made = new KeyValuePair<TKey, TElement>[1]
        .ToLookup(pair => pair.Key, pair => pair.Value, EqualityComparer<TKey>.Create(static (_, _) => true, static _ => 0)).GetType();

    private static readonly FieldInfo? ComparerField = typeof(Lookup<TKey, TElement>).GetField("_comparer", Hidden);

    private readonly DistinctKeys<TKey> _distinct = new();

    protected override Type MadeType => Made;

    protected override bool ComparesItems => true;

    protected override bool HasSelfContainedItems => SelfContainedKeys.Contains(typeof(TKey));

    protected override void CheckDistinct(ILookup<TKey, TElement> collection, ComparerCode code, object? comparer, WriteContext c)
    {
        if (_distinct.MayBeEqual(code))
            _distinct.Check(Type, collection.Select(group => group.Key), comparer, isSorted: false, c);
    }

    protected override int CountOf(ILookup<TKey, TElement> collection) => collection.Sum(group => group.Count());

    protected override byte* WriteItems(ILookup<TKey, TElement> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.SelectMany(
            group => group, (group, element) => new KeyValuePair<TKey, TElement>(group.Key, element)).GetEnumerator(), count, p, c);

    protected override object? ComparerOf(ILookup<TKey, TElement> collection) =>
        collection is Lookup<TKey, TElement> ? ComparerField?.GetValue(collection) : null;

    protected override ComparerCode CodeOf(object? comparer) => Comparers.CodeOf((IEqualityComparer<TKey>?)comparer);

    // ToLookup of no items returns another class, with other fields. So an empty lookup is made by the private constructor.
    protected override void Construct(ILookup<TKey, TElement> target, KeyValuePair<TKey, TElement>[] items, object? comparer)
    {
        var equality = (IEqualityComparer<TKey>?)comparer;
        StateCopier.CopyInto(target, items.Length > 0 ? items.ToLookup(i => i.Key, i => i.Value, equality) : Empty(equality));
    }

    private static object Empty(IEqualityComparer<TKey>? comparer) =>
        Activator.CreateInstance(typeof(Lookup<TKey, TElement>), Hidden, null, [comparer], null)!;
}
