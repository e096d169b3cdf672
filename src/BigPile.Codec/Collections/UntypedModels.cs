using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary><see cref="BitArray"/>: a boolean for each bit, so that every MessagePack reader understands it.</summary>
internal sealed unsafe class BitArrayModel(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<BitArray, bool>(type, codec, models)
{
    protected override int CountOf(BitArray collection) => collection.Length;

    protected override byte* WriteItems(BitArray collection, int count, byte* p, WriteContext c)
    {
        for (int i = 0; i < count; i++)
            p = Items.WriteOne(collection[i], ItemCodec, p, c);
        return p;
    }

    protected override void Construct(BitArray target, bool[] items, object? comparer) => UntypedAccess.Construct(target, items);
}

/// <summary><see cref="ArrayList"/>: its elements.</summary>
internal sealed unsafe class ArrayListModel(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<ArrayList, object?>(type, codec, models)
{
    protected override int CountOf(ArrayList collection) => collection.Count;

    protected override byte* WriteItems(ArrayList collection, int count, byte* p, WriteContext c)
    {
        object?[] items = collection.ToArray();
        Items.CheckUnchanged(count - items.Length, Type);
        return Items.Write<object?>(items, ItemCodec, p, c);
    }

    protected override void Construct(ArrayList target, object?[] items, object? comparer) => UntypedAccess.Construct(target, items);
}

/// <summary><see cref="Hashtable"/>: a map.</summary>
internal sealed unsafe class HashtableModel(Type type, FieldCodec key, FieldCodec value, ModelCache models)
    : PairsModel<Hashtable, object, object?>(type, key, value, models)
{
    protected override IEnumerable<object> KeysOf(Hashtable collection) => collection.Keys.Cast<object>();

    protected override byte* WriteMap(Hashtable collection, byte* p, WriteContext c)
    {
        var pairs = new List<KeyValuePair<object, object?>>(collection.Count);
        foreach (DictionaryEntry entry in collection)
            pairs.Add(new(entry.Key, entry.Value));
        return WriteEach(pairs.GetEnumerator(), pairs.Count, p, c);
    }

    protected override object? ComparerOf(Hashtable collection) => UntypedAccess.Comparer(collection);

    protected override ComparerCode CodeOf(object? comparer) => Comparers.CodeOfUntyped(comparer);

    protected override void Construct(Hashtable target, KeyValuePair<object, object?>[] pairs, object? comparer)
    {
        if (comparer is not (null or IEqualityComparer))
            BadData.Invalid("its comparer does not fit its elements");
        UntypedAccess.Construct(target, pairs.Length, (IEqualityComparer?)comparer);
        foreach (KeyValuePair<object, object?> pair in pairs)
            target.Add(pair.Key, pair.Value);
    }
}

/// <summary>Constructs such collections in place, and accesses their private members.</summary>
internal static class UntypedAccess
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(BitArray target, bool[] items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ArrayList target, ICollection items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(Hashtable target, int capacity, IEqualityComparer? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_EqualityComparer")]
    public static extern IEqualityComparer? Comparer(Hashtable target);
}
