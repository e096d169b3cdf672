using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A frozen dictionary. Its class depends on its content, so it is made last, and nothing inside can refer to it.</summary>
internal sealed unsafe class FrozenDictionaryModel<TKey, TValue>(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<FrozenDictionary<TKey, TValue>, TKey, TValue>(type, key, value, models)
    where TKey : notnull
{
    public override bool CanDefer => false;

    public override byte* WriteContent(object target, int typeId, byte* p, WriteContext c)
    {
        int number = OpenContainers.Enter(c);
        p = base.WriteContent(target, typeId, p, c);
        OpenContainers.Leave(number, c);
        return p;
    }

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        int number = c.RegisterLater();
        OpenContainers.EnterRead(c);
        p = ReadPairs(ref count, p, out KeyValuePair<TKey, TValue>[] pairs, out object? comparer, out bool isSelfContained, c);
        Debug.Assert(c.Depth > 0, "An object inside leaves as often as it enters.");
        c.Depth--;
        FrozenDictionary<TKey, TValue> made = pairs.ToFrozenDictionary((IEqualityComparer<TKey>?)comparer);
        if (made.Count != pairs.Length)
            BadData.Invalid("a dictionary holds one key twice");
        c.SetRegistered(number, made);
        if (!isSelfContained && c.IsTracking)
            c.Complete(() => OpenContainers.CheckFound(Array.TrueForAll(pairs, pair => made.ContainsKey(pair.Key))));
        target = made;
        return p;
    }

    protected override byte* WriteMap(FrozenDictionary<TKey, TValue> collection, byte* p, WriteContext c)
    {
        p = Encode.MapHeader(p, collection.Count);
        foreach (KeyValuePair<TKey, TValue> pair in collection)
        {
            c.OpenKeys++;
            p = Items.WriteOne(pair.Key, KeyCodec, p, c);
            Debug.Assert(c.OpenKeys > 0, "A collection inside closes as many keys as it opens.");
            c.OpenKeys--;
            p = Items.WriteOne(pair.Value, ValueCodec, p, c);
        }
        return p;
    }

    protected override object? ComparerOf(FrozenDictionary<TKey, TValue> collection) => collection.Comparer;

    protected override void Construct(FrozenDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] pairs, object? comparer) =>
        throw new NotSupportedException();
}

/// <summary>A frozen set. Its class depends on its content, so it is made last, and nothing inside can refer to it.</summary>
internal sealed unsafe class FrozenSetModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<FrozenSet<T>, T>(type, codec, models)
{
    public override bool CanDefer => false;

    protected override bool ComparesItems => true;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        int number = OpenContainers.Enter(c);
        p = base.WriteContent(value, typeId, p, c);
        OpenContainers.Leave(number, c);
        return p;
    }

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        int number = c.RegisterLater();
        OpenContainers.EnterRead(c);
        p = ReadItems(count, p, out T[] items, out object? comparer, out bool isSelfContained, c);
        Debug.Assert(c.Depth > 0, "An object inside leaves as often as it enters.");
        c.Depth--;
        FrozenSet<T> made = items.ToFrozenSet((IEqualityComparer<T>?)comparer);
        if (made.Count != items.Length)
            BadData.Invalid("a set holds one element twice");
        c.SetRegistered(number, made);
        if (!isSelfContained && c.IsTracking)
            c.Complete(() => OpenContainers.CheckFound(Array.TrueForAll(items, made.Contains)));
        target = made;
        return p;
    }

    protected override int CountOf(FrozenSet<T> collection) => collection.Count;

    protected override byte* WriteItems(FrozenSet<T> collection, int count, byte* p, WriteContext c)
    {
        c.OpenKeys++;
        p = WriteEach(((IEnumerable<T>)collection).GetEnumerator(), count, p, c);
        Debug.Assert(c.OpenKeys > 0, "A collection inside closes as many keys as it opens.");
        c.OpenKeys--;
        return p;
    }

    protected override object? ComparerOf(FrozenSet<T> collection) => collection.Comparer;

    protected override void Construct(FrozenSet<T> target, T[] items, object? comparer) => throw new NotSupportedException();
}

/// <summary>Tracks the open containers that nothing inside can refer to.</summary>
internal static class OpenContainers
{
    public static int Enter(WriteContext c)
    {
        Debug.Assert(!c.IsTracking || c.References.Count > 0, "The container got the last number.");
        int number = c.References.Count - 1;
        if (c.IsTracking)
            c.OpenImmutables.Add(number);
        return number;
    }

    public static void Leave(int number, WriteContext c)
    {
        Debug.Assert(!c.IsTracking || c.OpenImmutables[^1] == number, "The container that was opened last is closed first.");
        c.OpenImmutables.Remove(number);
    }

    /// <summary>Reports keys that a collection no longer finds: their hashes changed when objects that they refer to were filled.</summary>
    public static void CheckFound(bool areFound)
    {
        if (!areFound)
            BadData.Invalid("a frozen collection does not find its keys");
    }

    public static void EnterRead(ReadContext c)
    {
        if (++c.Depth > WriteContext.DepthLimit)
            c.EnterDeep();
    }
}
