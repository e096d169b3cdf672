using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
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
        ConstructAccess<T>.Queue(target, items.Length);
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
        ConstructAccess<T>.Stack(target, items.Length);
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
        ConstructAccess<T>.LinkedList(target);
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

    protected override ComparerCode ComparerOf(SortedSet<T> collection, out object? comparer)
    {
        comparer = collection.Comparer;
        return Comparers.CodeOf(collection.Comparer);
    }

    protected override void Construct(SortedSet<T> target, T[] items, object? comparer)
    {
        ConstructAccess<T>.SortedSet(target, (IComparer<T>?)comparer);
        AddAll(target, items);
    }
}

/// <summary>Constructs collections in place.</summary>
internal static class ConstructAccess<T>
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Queue(Queue<T> target, int capacity);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Stack(Stack<T> target, int capacity);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void LinkedList(LinkedList<T> target);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void SortedSet(SortedSet<T> target, IComparer<T>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void ConcurrentQueue(ConcurrentQueue<T> target, IEnumerable<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void ConcurrentStack(ConcurrentStack<T> target, IEnumerable<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void ConcurrentBag(ConcurrentBag<T> target, IEnumerable<T> items);
}
