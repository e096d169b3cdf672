using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Linq;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;

namespace BigPile.Codec.Collections;

/// <summary>The base of a class that derives from <see cref="KeyedCollection{TKey, TItem}"/>: comparer and items.</summary>
/// <remarks>
/// The application's code computes an item's key, so the items are added when the whole graph is filled. The size at which the collection
/// creates its lookup dictionary is not stored.
/// </remarks>
internal sealed unsafe class KeyedCollectionModel<TKey, TItem>(Type type, FieldCodec key, FieldCodec item, ModelCache models)
    : SequenceModel<KeyedCollection<TKey, TItem>, TItem>(type, item, models)
    where TKey : notnull
{
    private readonly DistinctKeys<TKey> _distinct = new();

    public FieldCodec Key => key;

    protected override bool ComparesItems => true;

    protected override bool HasSelfContainedItems => false;

    // Checks in all cases: the application's code may compute other keys now than when the items were added.
    protected override void CheckDistinct(
        KeyedCollection<TKey, TItem> collection, ComparerCode code, object? comparer, WriteContext c) =>
        _distinct.Check(
            Type, collection.Select(item => KeyedCollectionAccess<TKey, TItem>.KeyOf(collection, item)).Where(static k => k is not null),
            comparer, isSorted: false, c); // items with a null key are not in the lookup dictionary

    protected override int CountOf(KeyedCollection<TKey, TItem> collection) => collection.Count;

    protected override byte* WriteItems(KeyedCollection<TKey, TItem> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override object? ComparerOf(KeyedCollection<TKey, TItem> collection) => collection.Comparer;

    protected override ComparerCode CodeOf(object? comparer) => Comparers.CodeOf((IEqualityComparer<TKey>?)comparer);

    protected override void Construct(KeyedCollection<TKey, TItem> target, TItem[] items, object? comparer)
    {
        Constructors<TKey, TItem>.Construct(target, (IEqualityComparer<TKey>?)comparer);
        foreach (TItem item in items)
            target.Add(item);
    }
}

/// <summary>Accesses the keys of keyed collections.</summary>
internal static class KeyedCollectionAccess<TKey, TItem>
    where TKey : notnull
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "GetKeyForItem")]
    public static extern TKey KeyOf(KeyedCollection<TKey, TItem> collection, TItem item);
}
