using System;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;

namespace BigPile.Tests.Codec;

public sealed class CollectionTests
{
    private readonly CodecFixture _fixture = new();

    [Fact]
    public void ComparersOfAllCollectionsThatHaveThem()
    {
        StringComparer comparer = StringComparer.OrdinalIgnoreCase;
        string[] items = ["b", "A"];
        Dictionary<string, int> pairs = new() { ["b"] = 1, ["A"] = 2 };
        Assert.Equal(comparer, _fixture.RoundTrip(new SortedSet<string>(items, comparer)).Comparer);
        Assert.Equal(comparer, _fixture.RoundTrip(new SortedDictionary<string, int>(pairs, comparer)).Comparer);
        Assert.Equal(comparer, _fixture.RoundTrip(new SortedList<string, int>(pairs, comparer)).Comparer);
        Assert.Equal(comparer, _fixture.RoundTrip(new ConcurrentDictionary<string, int>(pairs, comparer)).Comparer);
        Assert.Equal(comparer, _fixture.RoundTrip(items.ToImmutableHashSet(comparer)).KeyComparer);
        Assert.Equal(comparer, _fixture.RoundTrip(items.ToImmutableSortedSet(comparer)).KeyComparer);
        Assert.Equal(comparer, _fixture.RoundTrip(pairs.ToImmutableDictionary(comparer)).KeyComparer);
        Assert.Equal(comparer, _fixture.RoundTrip(pairs.ToImmutableSortedDictionary(comparer)).KeyComparer);
        Assert.Equal(comparer, _fixture.RoundTrip(items.ToFrozenSet(comparer)).Comparer);
        Assert.Equal(comparer, _fixture.RoundTrip(pairs.ToFrozenDictionary(comparer)).Comparer);
    }

    [Fact]
    public void PriorityQueueKeepsItsOrder()
    {
        var queue = new PriorityQueue<string, int>([("c", 3), ("a", 1), ("b", 2)], Comparer<int>.Default);
        PriorityQueue<string, int> copy = _fixture.RoundTrip(queue);
        Assert.Equal(["a", "b", "c"], [copy.Dequeue(), copy.Dequeue(), copy.Dequeue()]);
    }

    [Fact]
    public void CollectionsAreUsableAfterwards()
    {
        Queue<int> queue = _fixture.RoundTrip(new Queue<int>([1, 2]));
        queue.Enqueue(3);
        Assert.Equal([1, 2, 3], queue);
        LinkedList<int> linked = _fixture.RoundTrip(new LinkedList<int>([1, 2]));
        linked.AddFirst(0);
        Assert.Equal([0, 1, 2], linked);
        ConcurrentDictionary<string, int> concurrent = _fixture.RoundTrip(new ConcurrentDictionary<string, int>());
        Assert.True(concurrent.TryAdd("a", 1));
        ObservableCollection<int> observable = _fixture.RoundTrip(new ObservableCollection<int>([1]));
        int changes = 0;
        observable.CollectionChanged += (_, _) => changes++;
        observable.Add(2);
        Assert.Equal(1, changes);
        Assert.Equal([1, 2, 3], _fixture.RoundTrip(ImmutableList.Create(1, 2)).Add(3));
        Assert.True(_fixture.RoundTrip(default(ImmutableArray<int>)).IsDefault);
        Assert.True(_fixture.RoundTrip(ImmutableStack<int>.Empty).IsEmpty);
        Assert.True(_fixture.RoundTrip(ImmutableQueue<int>.Empty).IsEmpty);
    }

    [Fact]
    public void ContainersThatContainThemselves()
    {
        var list = new List<object>();
        list.Add(list);
        List<object> listCopy = _fixture.RoundTrip(list);
        Assert.Same(listCopy, listCopy[0]);
        var holder = new object[1];
        holder[0] = ImmutableList<object>.Empty.Add(holder);
        object[] holderCopy = _fixture.RoundTrip(holder);
        Assert.Same(holderCopy, ((ImmutableList<object>)holderCopy[0])[0]);
        var stack = new Stack<object>();
        stack.Push(stack);
        Stack<object> stackCopy = _fixture.RoundTrip(stack);
        Assert.Same(stackCopy, stackCopy.Peek());
    }

    [Fact]
    public void ImmutableCollectionsCanBeReferredToFromInside()
    {
        var node = new Drawing();
        ImmutableHashSet<object> set = [node];
        node.Tag = set;
        ImmutableHashSet<object> copy = _fixture.RoundTrip(set);
        Assert.Same(copy, Assert.IsType<Drawing>(Assert.Single(copy)).Tag);
        Assert.Contains(copy.Single(), copy);
    }

    [Fact]
    public void FrozenSetThatContainsItselfIsRefusedOnWrite()
    {
        var node = new Drawing();
        node.Tag = new object[] { node }.ToFrozenSet();
        Assert.Throws<PileSerializationException>(() => _fixture.Write(node.Tag));
        Drawing copy = _fixture.RoundTrip(node);
        Assert.Same(copy, Assert.Single((FrozenSet<object>)copy.Tag!));
    }

    [Fact]
    public void ReadOnlyViewsStayViewsOfTheSameCollection()
    {
        var list = new List<int> { 1 };
        object[] copy = _fixture.RoundTrip<object[]>([list, new ReadOnlyCollection<int>(list)]);
        ((List<int>)copy[0]).Add(2);
        Assert.Equal([1, 2], (ReadOnlyCollection<int>)copy[1]);
    }

    [Fact]
    public void KeysWhoseHashDependsOnContentThatComesLater()
    {
        var first = new Keyed { Name = "first" };
        var second = new Keyed { Name = "second", Other = first };
        first.Other = second;
        var map = new Dictionary<Keyed, string> { [first] = "1", [second] = "2" };
        first.Home = second.Home = map;
        Keyed copy = _fixture.RoundTrip(first);
        Assert.Equal("1", copy.Home![copy]);
        Assert.Equal("2", copy.Home[copy.Other!]);
        Dictionary<Keyed, string> mapCopy = _fixture.RoundTrip(map);
        Assert.Equal(2, mapCopy.Keys.Count(mapCopy.ContainsKey));
        HashSet<Keyed> set = _fixture.RoundTrip<HashSet<Keyed>>([first, second]);
        Assert.Equal(2, set.Count(set.Contains));
    }

    private sealed class Keyed
    {
        public Dictionary<Keyed, string>? Home;
        public Keyed? Other;
        public string? Name;

        public override bool Equals(object? obj) => obj is Keyed other && other.Name == Name;

        public override int GetHashCode() => Name!.GetHashCode(StringComparison.Ordinal);
    }
}
