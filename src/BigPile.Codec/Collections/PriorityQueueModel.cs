using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A priority queue: its comparer, and a map of elements to priorities, in heap order.</summary>
internal sealed unsafe class PriorityQueueModel<TElement, TPriority>(Type type, FieldCodec element, FieldCodec priority, ModelCache models)
    : PairsModel<PriorityQueue<TElement, TPriority>, TElement, TPriority>(type, element, priority, models)
{
    protected override byte* WriteMap(PriorityQueue<TElement, TPriority> collection, byte* p, WriteContext c)
    {
        int count = collection.Count;
        p = Encode.MapHeader(p, count);
        foreach ((TElement item, TPriority rank) in collection.UnorderedItems)
        {
            p = Items.WriteOne(rank, ValueCodec, Items.WriteOne(item, KeyCodec, p, c), c);
            count--;
        }
        Items.CheckUnchanged(count, Type);
        return p;
    }

    protected override object? ComparerOf(PriorityQueue<TElement, TPriority> collection) => collection.Comparer;

    protected override ComparerCode CodeOf(object? comparer) => Comparers.CodeOf((IComparer<TPriority>?)comparer);

    protected override bool HasSelfContainedKeys => SelfContainedKeys.Contains(typeof(TPriority));

    protected override void Construct(
        PriorityQueue<TElement, TPriority> target, KeyValuePair<TElement, TPriority>[] pairs, object? comparer)
    {
        PriorityQueueAccess<TElement, TPriority>.Construct(target, pairs.Length, (IComparer<TPriority>?)comparer);
        foreach (KeyValuePair<TElement, TPriority> pair in pairs)
            target.Enqueue(pair.Key, pair.Value);
    }
}

/// <summary>Constructs priority queues in place.</summary>
internal static class PriorityQueueAccess<TElement, TPriority>
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(PriorityQueue<TElement, TPriority> target, int capacity, IComparer<TPriority>? comparer);
}
