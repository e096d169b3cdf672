using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;

namespace BigPile.Codec.Collections;

/// <summary>A queue, its head first.</summary>
internal sealed unsafe class QueueModel<T>(Type type, FieldCodec codec, ModelCache models) : SequenceModel<Queue<T>, T>(type, codec, models)
{
    protected override int CountOf(Queue<T> collection) => collection.Count;

    protected override byte* WriteItems(Queue<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override void Construct(Queue<T> target, T[] items, object? comparer)
    {
        Constructors<T>.Construct(target, items.Length);
        foreach (T item in items)
            target.Enqueue(item);
    }
}

/// <summary>A stack, its top first.</summary>
internal sealed unsafe class StackModel<T>(Type type, FieldCodec codec, ModelCache models) : SequenceModel<Stack<T>, T>(type, codec, models)
{
    protected override int CountOf(Stack<T> collection) => collection.Count;

    protected override byte* WriteItems(Stack<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override void Construct(Stack<T> target, T[] items, object? comparer)
    {
        Constructors<T>.Construct(target, items.Length);
        for (int i = items.Length - 1; i >= 0; i--)
            target.Push(items[i]);
    }
}

/// <summary>A linked list.</summary>
internal sealed unsafe class LinkedListModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<LinkedList<T>, T>(type, codec, models)
{
    protected override int CountOf(LinkedList<T> collection) => collection.Count;

    protected override byte* WriteItems(LinkedList<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override void Construct(LinkedList<T> target, T[] items, object? comparer)
    {
        Constructors<T>.Construct(target);
        foreach (T item in items)
            target.AddLast(item);
    }
}

/// <summary>A sorted set, with its comparer.</summary>
internal sealed unsafe class SortedSetModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<SortedSet<T>, T>(type, codec, models)
{
    protected override bool ComparesItems => true;

    protected override bool IsSorted => true;

    protected override int CountOf(SortedSet<T> collection) => collection.Count;

    protected override byte* WriteItems(SortedSet<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override object? ComparerOf(SortedSet<T> collection) => collection.Comparer;

    protected override void Construct(SortedSet<T> target, T[] items, object? comparer)
    {
        Constructors<T>.Construct(target, (IComparer<T>?)comparer);
        AddAll(target, items);
    }
}
