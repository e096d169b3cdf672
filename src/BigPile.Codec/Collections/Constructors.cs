using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Collections;

/// <summary>Constructs collections of elements in place.</summary>
internal static class Constructors<T>
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(List<T> target, int capacity);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(HashSet<T> target, int capacity, IEqualityComparer<T>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(Queue<T> target, int capacity);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(Stack<T> target, int capacity);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(LinkedList<T> target);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(SortedSet<T> target, IComparer<T>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ConcurrentQueue<T> target, IEnumerable<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ConcurrentStack<T> target, IEnumerable<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ConcurrentBag<T> target, IEnumerable<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(Collection<T> target, IList<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ObservableCollection<T> target, List<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ReadOnlyCollection<T> target, IList<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ReadOnlySet<T> target, ISet<T> set);
}

/// <summary>Constructs collections of keys and values in place.</summary>
internal static class Constructors<TKey, TValue>
    where TKey : notnull
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(Dictionary<TKey, TValue> target, int capacity, IEqualityComparer<TKey>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(OrderedDictionary<TKey, TValue> target, int capacity, IEqualityComparer<TKey>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ConcurrentDictionary<TKey, TValue> target, IEqualityComparer<TKey>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(SortedDictionary<TKey, TValue> target, IComparer<TKey>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(SortedList<TKey, TValue> target, int capacity, IComparer<TKey>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(KeyedCollection<TKey, TValue> target, IEqualityComparer<TKey>? comparer);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(ReadOnlyDictionary<TKey, TValue> target, IDictionary<TKey, TValue> dictionary);
}
