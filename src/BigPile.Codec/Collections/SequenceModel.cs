using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A collection that is its elements, and perhaps a comparer before them.</summary>
/// <remarks>
/// A container without a comparer writes none. One that orders or hashes its elements gets them when the whole graph is filled, unless they
/// are plain.
/// </remarks>
internal abstract unsafe class SequenceModel<TCollection, T>(Type type, FieldCodec codec, ModelCache models) : ContainerModel(type, models)
    where TCollection : class
{
    private readonly ComparerCodec _comparers = new(models.Any);
    private readonly bool _hasSelfContainedItems = SelfContainedKeys.Contains(typeof(T));
    private readonly DistinctKeys<T> _distinct = new();

    /// <summary>The slot of the elements.</summary>
    protected FieldCodec ItemCodec => codec;

    /// <summary>Comparing elements needs no code of the application and no content of other objects.</summary>
    protected virtual bool HasSelfContainedItems => _hasSelfContainedItems;

    /// <summary>The container hashes or orders its elements.</summary>
    protected virtual bool ComparesItems => false;

    /// <summary>A container that compares orders its elements; else it hashes them.</summary>
    protected virtual bool IsSorted => false;

    protected abstract int CountOf(TCollection collection);

    protected abstract byte* WriteItems(TCollection collection, int count, byte* p, WriteContext c);

    /// <summary>Constructs the collection in place with all its elements.</summary>
    protected abstract void Construct(TCollection target, T[] items, object? comparer);

    protected virtual ComparerCode ComparerOf(TCollection collection, out object? comparer)
    {
        comparer = null;
        return ComparerCode.Default;
    }

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        var collection = (TCollection)value;
        ComparerCode code = ComparerOf(collection, out object? comparer);
        if (p > c.End)
            p = c.Grow(p, 0);
        int count = CountOf(collection);
        p = Encode.ArrayHeader(p, count + ComparerCodec.ExtraCount(code), typeId);
        p = _comparers.Write(code, comparer, p, c);
        if (ComparesItems)
            CheckDistinct(collection, code, comparer, c);
        return WriteItems(collection, count, p, c);
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Items, 1);
        definition.Text("item");
        codec.Describe(definition);
    }

    public override void Analyze(SharingAnalysis analysis) => analysis.ReachEach(codec);

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        p = ReadHead(count, p, out T[] items, out object? comparer, out bool isSelfContained, c);
        var target = (TCollection)value;
        bool isAtOnce = !ComparesItems || isSelfContained;
        if (!isAtOnce)
            c.Complete(() => Construct(target, items, comparer)); // before what is inside, as that is completed the other way round
        p = Items.Read<T>(items, codec, p, c);
        if (isAtOnce)
            Construct(target, items, comparer);
        return p;
    }

    /// <summary>Checks that what the container compares is distinct.</summary>
    protected virtual void CheckDistinct(TCollection collection, ComparerCode code, object? comparer, WriteContext c)
    {
        if (_distinct.MayBeEqual(code))
            _distinct.Check(Type, (IEnumerable<T>)collection, comparer, IsSorted, c);
    }

    protected byte* ReadItems(int count, byte* p, out T[] items, out object? comparer, out bool isSelfContained, ReadContext c)
    {
        p = ReadHead(count, p, out items, out comparer, out isSelfContained, c);
        return Items.Read<T>(items, codec, p, c);
    }

    private byte* ReadHead(int count, byte* p, out T[] items, out object? comparer, out bool isSelfContained, ReadContext c)
    {
        p = _comparers.Read(ref count, p, out comparer, out bool isKnown, c);
        if (count < 0)
            BadData.Unexpected(*p, $"a {Type}");
        c.Charge((long)count * codec.LeastBytes);
        items = new T[count];
        isSelfContained = HasSelfContainedItems && isKnown;
        return p;
    }

    /// <summary>Writes what an enumerator gives, without a box for it.</summary>
    protected byte* WriteEach<TEnumerator>(TEnumerator items, int count, byte* p, WriteContext c)
        where TEnumerator : IEnumerator<T>
    {
        for (; items.MoveNext(); count--)
            p = Items.WriteOne(items.Current, codec, p, c);
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
