using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A collection that other threads may change during the write: a snapshot of its elements is written.</summary>
internal abstract unsafe class SnapshotModel<TCollection, T>(Type type, FieldCodec codec, ModelCache models)
    : ItemsModel(type, codec, models)
    where TCollection : class
{
    protected abstract T[] Snapshot(TCollection collection);

    /// <summary>Constructs the collection in place with all its elements.</summary>
    protected abstract void Construct(TCollection target, T[] items);

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        T[] items = Snapshot((TCollection)value);
        if (p > c.End)
            p = c.Grow(p, 0);
        return Items.Write<T>(items, ItemCodec, Encode.ArrayHeader(p, items.Length, typeId), c);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        Charge(count, p, c);
        var items = new T[count];
        p = Items.Read<T>(items, ItemCodec, p, c);
        Construct((TCollection)value, items);
        return p;
    }

    protected static T[] Reversed(T[] items)
    {
        Array.Reverse(items);
        return items;
    }
}

/// <summary>A concurrent queue, its head first.</summary>
internal sealed class ConcurrentQueueModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SnapshotModel<ConcurrentQueue<T>, T>(type, codec, models)
{
    protected override T[] Snapshot(ConcurrentQueue<T> collection) => collection.ToArray();

    protected override void Construct(ConcurrentQueue<T> target, T[] items) => Constructors<T>.Construct(target, items);
}

/// <summary>A concurrent stack, its bottom first.</summary>
internal sealed class ConcurrentStackModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SnapshotModel<ConcurrentStack<T>, T>(type, codec, models)
{
    protected override T[] Snapshot(ConcurrentStack<T> collection) => Reversed(collection.ToArray());

    protected override void Construct(ConcurrentStack<T> target, T[] items) => Constructors<T>.Construct(target, items);
}

/// <summary>A concurrent bag.</summary>
internal sealed class ConcurrentBagModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SnapshotModel<ConcurrentBag<T>, T>(type, codec, models)
{
    protected override T[] Snapshot(ConcurrentBag<T> collection) => Reversed(collection.ToArray());

    protected override void Construct(ConcurrentBag<T> target, T[] items) => Constructors<T>.Construct(target, items);
}

/// <summary>Marks stacks and bags that are written in the order of enumeration: the element that was added last comes first.</summary>
internal static class Enumerated
{
    /// <summary>The name of the elements in definitions.</summary>
    public const string ItemName = "enumerated";
}

/// <summary>A concurrent stack in MessagePack-CSharp's order, its top first.</summary>
internal sealed class EnumeratedStackModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SnapshotModel<ConcurrentStack<T>, T>(type, codec, models)
{
    protected override string ItemName => Enumerated.ItemName;

    protected override T[] Snapshot(ConcurrentStack<T> collection) => collection.ToArray();

    protected override void Construct(ConcurrentStack<T> target, T[] items) => Constructors<T>.Construct(target, Reversed(items));
}

/// <summary>A concurrent bag in MessagePack-CSharp's order.</summary>
internal sealed class EnumeratedBagModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SnapshotModel<ConcurrentBag<T>, T>(type, codec, models)
{
    protected override string ItemName => Enumerated.ItemName;

    protected override T[] Snapshot(ConcurrentBag<T> collection) => collection.ToArray();

    protected override void Construct(ConcurrentBag<T> target, T[] items) => Constructors<T>.Construct(target, Reversed(items));
}

/// <summary><see cref="Collection{T}"/>. Its elements are read without calling the methods that derived classes override.</summary>
internal sealed class CollectionModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SnapshotModel<Collection<T>, T>(type, codec, models)
{
    protected override T[] Snapshot(Collection<T> collection) => [.. collection];

    protected override void Construct(Collection<T> target, T[] items) => Constructors<T>.Construct(target, new List<T>(items));
}

/// <summary>An observable collection. Its observers are not stored.</summary>
internal sealed class ObservableCollectionModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SnapshotModel<ObservableCollection<T>, T>(type, codec, models)
{
    protected override T[] Snapshot(ObservableCollection<T> collection) => [.. collection];

    protected override void Construct(ObservableCollection<T> target, T[] items) =>
        Constructors<T>.Construct(target, new List<T>(items));
}
