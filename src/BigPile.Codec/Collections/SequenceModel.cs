using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A collection of elements: an array of them, after the comparer unless there is none or it is the default one.</summary>
/// <remarks>
/// A collection that orders or hashes its elements is constructed when the whole graph is filled, unless comparing elements needs neither
/// the application's code nor the content of other objects.
/// </remarks>
internal abstract unsafe class SequenceModel<TCollection, T>(Type type, FieldCodec codec, ModelCache models)
    : ItemsModel(type, codec, models)
    where TCollection : class
{
    private readonly ComparerCodec _comparers = new(models.Any);
    private readonly bool _hasSelfContainedItems = SelfContainedKeys.Contains(typeof(T));
    private readonly DistinctKeys<T> _distinct = new();

    /// <summary>Whether comparing elements needs neither the application's code nor the content of other objects.</summary>
    protected virtual bool HasSelfContainedItems => _hasSelfContainedItems;

    /// <summary>Whether the collection hashes or orders its elements.</summary>
    protected virtual bool ComparesItems => false;

    /// <summary>Whether a collection that compares elements orders them; if not, it hashes them.</summary>
    protected virtual bool IsSorted => false;

    protected abstract int CountOf(TCollection collection);

    protected abstract byte* WriteItems(TCollection collection, int count, byte* p, WriteContext c);

    /// <summary>Constructs the collection in place with all its elements.</summary>
    protected abstract void Construct(TCollection target, T[] items, object? comparer);

    /// <summary>The comparer of the elements; null for the default one.</summary>
    protected virtual object? ComparerOf(TCollection collection) => null;

    protected virtual ComparerCode CodeOf(object? comparer) =>
        IsSorted ? Comparers.CodeOf((IComparer<T>?)comparer) : Comparers.CodeOf((IEqualityComparer<T>?)comparer);

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        var collection = (TCollection)value;
        object? comparer = ComparerOf(collection);
        ComparerCode code = CodeOf(comparer);
        if (p > c.End)
            p = c.Grow(p, 0);
        int count = CountOf(collection);
        p = Encode.ArrayHeader(p, count + ComparerCodec.ExtraCount(code), typeId);
        p = _comparers.Write(code, comparer, p, c);
        if (ComparesItems)
            CheckDistinct(collection, code, comparer, c);
        return WriteItems(collection, count, p, c);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        p = ReadHead(count, p, out T[] items, out object? comparer, out bool isSelfContained, c);
        var target = (TCollection)value;
        bool isAtOnce = !ComparesItems || isSelfContained;
        if (!isAtOnce)
            c.Complete(() => Construct(target, items, comparer)); // deferred before those of the elements, so that it runs after them
        p = Items.Read<T>(items, ItemCodec, p, c);
        if (isAtOnce)
            Construct(target, items, comparer);
        return p;
    }

    /// <summary>Checks that the elements, or their keys, are distinct.</summary>
    protected virtual void CheckDistinct(TCollection collection, ComparerCode code, object? comparer, WriteContext c)
    {
        if (_distinct.MayBeEqual(code))
            _distinct.Check(Type, (IEnumerable<T>)collection, comparer, IsSorted, c);
    }

    protected byte* ReadItems(int count, byte* p, out T[] items, out object? comparer, out bool isSelfContained, ReadContext c)
    {
        p = ReadHead(count, p, out items, out comparer, out isSelfContained, c);
        return Items.Read<T>(items, ItemCodec, p, c);
    }

    private byte* ReadHead(int count, byte* p, out T[] items, out object? comparer, out bool isSelfContained, ReadContext c)
    {
        p = _comparers.Read(ref count, p, out comparer, out bool isKnown, c);
        Charge(count, p, c);
        items = new T[count];
        isSelfContained = HasSelfContainedItems && isKnown;
        return p;
    }

    /// <summary>Writes the elements of an enumerator, without boxing it.</summary>
    protected byte* WriteEach<TEnumerator>(TEnumerator items, int count, byte* p, WriteContext c)
        where TEnumerator : IEnumerator<T>
    {
        for (; items.MoveNext(); count--)
            p = Items.WriteOne(items.Current, ItemCodec, p, c);
        Items.CheckUnchanged(count, Type);
        return p;
    }

    /// <summary>Adds elements that must all be different.</summary>
    protected static void AddAll(ISet<T> set, T[] items)
    {
        foreach (T item in items)
        {
            if (!set.Add(item))
                BadData.Invalid("a set holds one element twice");
        }
    }
}
