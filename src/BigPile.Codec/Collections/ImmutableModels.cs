using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using BigPile.Codec.Graph;

namespace BigPile.Codec.Collections;

/// <summary>An immutable list.</summary>
internal sealed unsafe class ImmutableListModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<ImmutableList<T>, T>(type, codec, models)
{
    protected override int CountOf(ImmutableList<T> collection) => collection.Count;

    protected override byte* WriteItems(ImmutableList<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override void Construct(ImmutableList<T> target, T[] items, object? comparer) =>
        StateCopier.CopyInto(target, ImmutableList.CreateRange(items));
}

/// <summary>An immutable queue, its head first.</summary>
internal sealed unsafe class ImmutableQueueModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<ImmutableQueue<T>, T>(type, codec, models)
{
    protected override int CountOf(ImmutableQueue<T> collection) => collection.Count();

    protected override byte* WriteItems(ImmutableQueue<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(((IEnumerable<T>)collection).GetEnumerator(), count, p, c);

    protected override void Construct(ImmutableQueue<T> target, T[] items, object? comparer) =>
        StateCopier.CopyInto(target, ImmutableQueue.CreateRange(items));
}

/// <summary>An immutable stack, its top first.</summary>
internal sealed unsafe class ImmutableStackModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<ImmutableStack<T>, T>(type, codec, models)
{
    protected override int CountOf(ImmutableStack<T> collection) => collection.Count();

    protected override byte* WriteItems(ImmutableStack<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(((IEnumerable<T>)collection).GetEnumerator(), count, p, c);

    protected override void Construct(ImmutableStack<T> target, T[] items, object? comparer) =>
        StateCopier.CopyInto(target, ImmutableStack.CreateRange(items.Reverse()));
}

/// <summary>An immutable set, with its comparer.</summary>
internal sealed unsafe class ImmutableHashSetModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<ImmutableHashSet<T>, T>(type, codec, models)
{
    protected override bool ComparesItems => true;

    protected override int CountOf(ImmutableHashSet<T> collection) => collection.Count;

    protected override byte* WriteItems(ImmutableHashSet<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override object? ComparerOf(ImmutableHashSet<T> collection) => collection.KeyComparer;

    protected override void Construct(ImmutableHashSet<T> target, T[] items, object? comparer) =>
        StateCopier.CopyInto(target, ImmutableHashSet.CreateRange((IEqualityComparer<T>?)comparer, items));
}

/// <summary>An immutable sorted set, with its comparer.</summary>
internal sealed unsafe class ImmutableSortedSetModel<T>(Type type, FieldCodec codec, ModelCache models)
    : SequenceModel<ImmutableSortedSet<T>, T>(type, codec, models)
{
    protected override bool ComparesItems => true;

    protected override bool IsSorted => true;

    protected override int CountOf(ImmutableSortedSet<T> collection) => collection.Count;

    protected override byte* WriteItems(ImmutableSortedSet<T> collection, int count, byte* p, WriteContext c) =>
        WriteEach(collection.GetEnumerator(), count, p, c);

    protected override object? ComparerOf(ImmutableSortedSet<T> collection) => collection.KeyComparer;

    protected override void Construct(ImmutableSortedSet<T> target, T[] items, object? comparer) =>
        StateCopier.CopyInto(target, ImmutableSortedSet.CreateRange((IComparer<T>?)comparer, items));
}
