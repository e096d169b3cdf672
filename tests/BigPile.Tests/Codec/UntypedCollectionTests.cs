using System;
using System.Collections;
using System.Collections.ObjectModel;
using System.Linq;

namespace BigPile.Tests.Codec;

/// <summary>Collections without type arguments, keyed ones, and views of bytes.</summary>
public sealed class UntypedCollectionTests
{
    private readonly CodecFixture _fixture = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(33)]
    [InlineData(5000)]
    public void BitArrays(int count)
    {
        var bits = new BitArray(Enumerable.Range(0, count).Select(i => i % 3 == 0).ToArray());
        Assert.Equal(bits.Cast<bool>(), _fixture.RoundTrip(bits).Cast<bool>());
    }

    [Fact]
    public void ListsOfAnyObjectsKeepWhatIsShared()
    {
        var shared = new Node { Value = 4 };
        var list = new ArrayList { 1, "b", shared, null, shared };
        list.Add(list);
        ArrayList copy = _fixture.RoundTrip(list);
        Assert.Equal([1, "b"], copy.Cast<object>().Take(2));
        Assert.Same(copy[2], copy[4]);
        Assert.Same(copy, copy[5]);
        copy.Add("more");
        Assert.Equal(7, copy.Count);
    }

    [Fact]
    public void HashtablesKeepTheirComparers()
    {
        var key = new Node();
        var table = new Hashtable { ["a"] = 1, [key] = "k", [5] = null };
        Hashtable copy = _fixture.RoundTrip(table);
        Assert.Equal((1, 3), (copy["a"], copy.Count));
        Assert.True(copy.ContainsKey(5));
        Assert.Equal(2, _fixture.RoundTrip(new Hashtable(StringComparer.OrdinalIgnoreCase) { ["A"] = 2 })["a"]);
        Assert.Equal(3, _fixture.RoundTrip(new Hashtable(new Modulo { Divisor = 10 }) { [7] = 3 })[17]);
    }

    [Fact]
    public void HashtableInACycle()
    {
        var table = new Hashtable();
        table["me"] = table;
        Hashtable copy = _fixture.RoundTrip(table);
        Assert.Same(copy, copy["me"]);
    }

    [Fact]
    public void KeyedCollectionsAskForTheirKeysWhenTheGraphIsThere()
    {
        var nodes = new ByPrefix { Prefix = "#" };
        nodes.Add(new Node { Value = 1 });
        nodes.Add(new Node { Value = 2 });
        ByPrefix copy = _fixture.RoundTrip(nodes);
        Assert.Equal(2, copy["#2"].Value);
        Assert.Equal([1, 2], copy.Select(n => n.Value));
        Assert.Same(StringComparer.OrdinalIgnoreCase, copy.Comparer);
        Assert.Throws<ArgumentException>(() => copy.Add(new Node { Value = 1 }));
    }

    [Fact]
    public void ViewsOfBytes()
    {
        var value = new Views { Write = new byte[] { 1, 2, 3 }.AsMemory(1), Read = new byte[] { 4 }, Part = new([5, 6, 7], 1, 1) };
        Views copy = _fixture.RoundTrip(value);
        Assert.Equal<byte>([2, 3], copy.Write.ToArray());
        Assert.Equal<byte>([4], copy.Read.ToArray());
        Assert.Null(copy.Maybe);
        Assert.Equal<byte>([6], copy.Part);
        Assert.Equal(3, copy.Part.Array!.Length);
        Assert.True(_fixture.RoundTrip(new Views()).Write.IsEmpty);
        Assert.Equal<byte>(
            [9], ((ReadOnlyMemory<byte>)_fixture.RoundTrip<object[]>([(ReadOnlyMemory<byte>)new byte[] { 9 }])[0]).ToArray());
    }

    [Fact]
    public void ViewsOfOtherElementsAreViewsOfTheirOwn()
    {
        var copy = (Refused)_fixture.RoundTrip(new Drawing { Tag = new Refused { Characters = "abc".AsMemory(1) } }).Tag!;
        Assert.Equal("bc", copy.Characters.ToString());
        Assert.True(_fixture.RoundTrip(new Refused()).Characters.IsEmpty);
    }

    [Fact]
    public void LazyValuesAreRefusedWithTheirPathAndARemedy()
    {
        PileSerializationException e =
            Assert.Throws<PileSerializationException>(() => _fixture.Write(new Refused { Late = new Lazy<int>(5) }));
        Assert.Contains("Refused.Late", e.Message, StringComparison.Ordinal);
        Assert.Contains("store the value", e.Message, StringComparison.Ordinal);
    }

    private sealed class Modulo : IEqualityComparer
    {
        public int Divisor { get; set; }

        public new bool Equals(object? x, object? y) => GetHashCode(x!) == GetHashCode(y!);

        public int GetHashCode(object obj) => (int)obj % Divisor;
    }

    private sealed class ByPrefix() : KeyedCollection<string, Node>(StringComparer.OrdinalIgnoreCase, dictionaryCreationThreshold: 0)
    {
        public string? Prefix { get; set; }

        protected override string GetKeyForItem(Node item) => Prefix! + item.Value;
    }

    private sealed class Views
    {
        public Memory<byte> Write { get; set; }

        public ReadOnlyMemory<byte> Read { get; set; }

        public Memory<byte>? Maybe { get; set; }

        public ArraySegment<byte> Part { get; set; }
    }

    private sealed class Refused
    {
        public ReadOnlyMemory<char> Characters { get; set; }

        public Lazy<int>? Late { get; set; }
    }
}
