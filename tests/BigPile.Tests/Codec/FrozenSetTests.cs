using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Codec;

/// <summary>
/// Frozen collections of the base class library hash their keys while they are read, so the keys must be complete by then.
/// </summary>
public sealed class FrozenSetTests
{
    private readonly CodecFixture _fixture = new();

    [Theory]
    [InlineData(120)]
    [InlineData(125)]
    [InlineData(126)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(5000)]
    public void ClassKeysAtTheDepthWhereObjectsAreDeferred(int depth)
    {
        FrozenDictionary<Key, Node> dictionary =
            Enumerable.Range(0, 20).ToFrozenDictionary(i => new Key("k" + i, new Key("inner", null)), i => new Node { Value = i });
        FrozenSet<Key> set = dictionary.Keys.ToFrozenSet();
        object graph = new object[] { dictionary, set };
        for (int i = 0; i < depth; i++)
            graph = new object[] { graph };
        object copy = _fixture.RoundTrip(graph);
        for (int i = 0; i < depth; i++)
            copy = ((object[])copy)[0];
        var found = (FrozenDictionary<Key, Node>)((object[])copy)[0];
        var foundSet = (FrozenSet<Key>)((object[])copy)[1];
        foreach (Key key in dictionary.Keys)
        {
            Assert.Equal(dictionary[key].Value, found[key].Value);
            Assert.True(foundSet.TryGetValue(key, out _));
        }
    }

    [Fact]
    public void ValuesAsDeepAsTheyLike()
    {
        Node? chain = null;
        for (int i = 0; i < 10_000; i++)
            chain = new Node { Value = i, Next = chain };
        FrozenDictionary<Key, Node> copy = (FrozenDictionary<Key, Node>)_fixture.Read(
            _fixture.Write(new Dictionary<Key, Node> { [new Key("a", null)] = chain! }.ToFrozenDictionary()));
        int count = 0;
        for (Node? node = copy[new Key("a", null)]; node is not null; node = node.Next)
            count++;
        Assert.Equal(10_000, count);
    }

    [Fact]
    public void KeysThatAreTooDeepAreRefusedByThePut()
    {
        Key? key = null;
        for (int i = 0; i < 2000; i++)
            key = new Key("k", key);
        var graph = new object[] { new FixedHash[] { new() { Inner = key } }.ToFrozenSet() };
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => _fixture.Write(graph));
        Assert.Contains("HashSet", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void KeysThatReferToWholeObjectsElsewhereAreKept()
    {
        var shared = new Key("shared", null);
        var graph = new object[] { shared, new[] { shared, new Key("other", shared) }.ToFrozenSet() };
        object[] copy = (object[])_fixture.Read(_fixture.Write(graph));
        Assert.True(((FrozenSet<Key>)copy[1]).TryGetValue((Key)copy[0], out Key? found) && ReferenceEquals(found, copy[0]));
    }

    /// <summary>The key's object is written after the root, but the key is hashed before that is read.</summary>
    [Fact]
    public void KeysThatReferToObjectsWhichAreNotWholeYetAreRefusedByThePut()
    {
        var late = new Key("late", null);
        object graph = new object[] { late, new[] { new Key("early", late) }.ToFrozenSet() };
        for (int i = 0; i < 126; i++)
            graph = new object[] { graph };
        RefusedOrRight(graph);
        for (int i = 0; i < 2; i++)
            RefusedOrRight(graph = new object[] { graph });
    }

    [Fact]
    public void KeysThatReferToWhatHoldsTheCollectionAreRefusedByThePut()
    {
        var owner = new Owner { Name = "o" };
        owner.Owned = new[] { new OwnedKey(owner) }.ToFrozenSet();
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => _fixture.Write(owner));
        Assert.Contains("Dictionary", e.Message, StringComparison.Ordinal);
        GraphAssert.Same(Order.Sample(3), _fixture.RoundTrip(Order.Sample(3)));
    }

    private void RefusedOrRight(object graph)
    {
        byte[] payload;
        try
        {
            payload = _fixture.Write(graph);
        }
        catch (PileSerializationException e)
        {
            Assert.Contains("HashSet", e.Message, StringComparison.Ordinal);
            return;
        }
        object copy = _fixture.Read(payload);
        while (copy is object[] { Length: 1 } items)
            copy = items[0];
        var set = (FrozenSet<Key>)((object[])copy)[1];
        Assert.True(set.TryGetValue(new Key("early", new Key("late", null)), out _));
    }

    private sealed record Key(string Name, Key? Inner);

    private sealed class FixedHash
    {
        public Key? Inner;

        public override bool Equals(object? obj) => ReferenceEquals(obj, this);

        public override int GetHashCode() => 1;
    }

    private sealed class Owner
    {
        public FrozenSet<OwnedKey>? Owned;
        public string? Name;
    }

    private sealed record OwnedKey(Owner Owner)
    {
        public bool Equals(OwnedKey? other) => other is not null && other.Owner.Name == Owner.Name;

        public override int GetHashCode() => Owner.Name!.GetHashCode(StringComparison.Ordinal);
    }
}
