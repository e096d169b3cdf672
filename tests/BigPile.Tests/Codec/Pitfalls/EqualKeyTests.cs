using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;

namespace BigPile.Tests.Codec;

/// <summary>Keys that have become equal when their collection is stored: no reader could rebuild it.</summary>
public sealed class EqualKeyTests
{
    private static readonly Dictionary<string, Func<Spot[], object>> Makers = new()
    {
        ["HashSet"] = spots => new HashSet<Spot>(spots),
        ["Dictionary"] = spots => spots.ToDictionary(spot => spot, spot => spot.X),
        ["DictionaryOfObjects"] = spots => spots.ToDictionary(spot => (object)spot, spot => spot.X),
        ["SortedSet"] = spots => new SortedSet<Spot>(spots),
        ["SortedDictionary"] = spots => new SortedDictionary<Spot, int>(spots.ToDictionary(spot => spot, spot => spot.X)),
        ["SortedList"] = spots => new SortedList<Spot, int>(spots.ToDictionary(spot => spot, spot => spot.X)),
        ["ConcurrentDictionary"] = spots => new ConcurrentDictionary<Spot, int>(spots.ToDictionary(spot => spot, spot => spot.X)),
        ["OrderedDictionary"] = spots => new OrderedDictionary<Spot, int>(spots.ToDictionary(spot => spot, spot => spot.X)),
        ["ImmutableHashSet"] = spots => spots.ToImmutableHashSet(),
        ["ImmutableSortedSet"] = spots => spots.ToImmutableSortedSet(),
        ["ImmutableDictionary"] = spots => spots.ToImmutableDictionary(spot => spot, spot => 1),
        ["ImmutableSortedDictionary"] = spots => spots.ToImmutableSortedDictionary(spot => spot, spot => 1),
        ["FrozenSet"] = spots => spots.ToFrozenSet(),
        ["FrozenDictionary"] = spots => spots.ToFrozenDictionary(spot => spot, spot => spot.X),
        ["ReadOnlyDictionary"] = spots => new ReadOnlyDictionary<Spot, int>(spots.ToDictionary(spot => spot, spot => spot.X)),
        ["ReadOnlySet"] = spots => new ReadOnlySet<Spot>(new HashSet<Spot>(spots)),
        ["Lookup"] = spots => spots.ToLookup(spot => spot, spot => spot.X),
        ["KeyedCollection"] = spots =>
        {
            var keyed = new Spots();
            Array.ForEach(spots, keyed.Add);
            return keyed;
        },
        ["Hashtable"] = spots => new Hashtable(spots.ToDictionary(spot => spot, spot => spot.X)),
        ["DerivedSet"] = spots =>
        {
            var set = new SpotSet();
            set.UnionWith(spots);
            return set;
        },
        ["SetOfStructures"] = spots => spots.Select(spot => new Pair { Spot = spot }).ToHashSet(),
        ["SetOfTuples"] = spots => spots.Select(spot => (1, spot)).ToHashSet(),
        ["SetInside"] = spots => new Drawing { Tag = new HashSet<Spot>(spots) },
    };

    public static TheoryData<string> Kinds() => [.. Makers.Keys];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void CollectionWhoseKeysBecameEqualIsRefused(string kind)
    {
        Spot[] spots = [new Spot { X = 1 }, new Spot { X = 2 }, new Spot { X = 3 }];
        object collection = Makers[kind](spots);
        var fixture = new CodecFixture();
        Assert.Equal(collection.GetType(), fixture.Read(fixture.Write(collection)).GetType());
        spots[1].X = 1;
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => fixture.Write(collection));
        Assert.Contains("Remove a key before you change it", e.Message, StringComparison.Ordinal);
        spots[1].X = 7; // the key's order and hash are wrong now, but the keys are distinct
        fixture.Read(fixture.Write(collection));
    }

    [Fact]
    public void PathToTheCollectionIsSaid()
    {
        Spot[] spots = [new Spot { X = 1 }, new Spot { X = 2 }];
        object drawing = Makers["SetInside"](spots);
        spots[0].X = 2;
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => new CodecFixture().Write(drawing));
        Assert.StartsWith("Drawing.Tag: Two keys", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void KeysThatDifferInWhatIsNotStoredAreRefused()
    {
        var keys = new HashSet<Marked> { new() { Id = 1, Mark = 1 }, new() { Id = 1, Mark = 2 } };
        var fixture = new CodecFixture();
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => fixture.Write(keys));
        Assert.Contains("not stored", e.Message, StringComparison.Ordinal);
        var points = new HashSet<MarkedPoint> { new() { X = 1, Mark = 1 }, new() { X = 1, Mark = 2 } };
        Assert.Throws<PileSerializationException>(() => fixture.Write(points));
        Assert.Single(fixture.RoundTrip(new HashSet<Marked> { new() { Id = 1, Mark = 1 } }));
    }

    /// <summary>A collection's equality need not be its keys' order.</summary>
    [Fact]
    public void ComparerThatOrdersAndHashesIsAskedForWhatItsCollectionDoes()
    {
        var fixture = new CodecFixture();
        var set = new HashSet<Spot>(new Both()) { new() { X = 1 }, new() { X = 11 } };
        Assert.Equal(2, fixture.RoundTrip(set).Count);
        var sorted = new SortedSet<Spot>(new Both()) { new() { X = 1 }, new() { X = 2 } };
        Assert.Equal(2, fixture.RoundTrip(sorted).Count);
    }

    /// <summary>The comparer may have changed, and not the keys.</summary>
    [Fact]
    public void KeysThatAComparerTakesForOneByNowAreRefused()
    {
        var comparer = new Switching();
        var set = new HashSet<string>(comparer) { "a", "A" };
        var map = new Dictionary<string, int>(comparer) { ["a"] = 1, ["A"] = 2 };
        var fixture = new CodecFixture();
        Assert.Equal(2, fixture.RoundTrip(set).Count);
        comparer.IgnoresCase = true;
        Assert.Throws<PileSerializationException>(() => fixture.Write(set));
        Assert.Throws<PileSerializationException>(() => fixture.Write(map));
    }

    [Fact]
    public void KeysThatDifferDeepInsideInWhatIsNotStoredAreRefused()
    {
        var fixture = new CodecFixture();
        Marked[] marked = [new() { Id = 1, Mark = 1 }, new() { Id = 1, Mark = 2 }];
        object[] sets =
        [
            marked.Select(one => new Deep(one)).ToHashSet(), marked.Select(one => (one, 1)).ToHashSet(),
            marked.Select(one => KeyValuePair.Create(1, one)).ToHashSet(),
        ];
        Assert.All(sets, set => Assert.Throws<PileSerializationException>(() => fixture.Write(set)));
    }

    /// <summary>The objects that a key holds are complete before the key is hashed.</summary>
    [Fact]
    public void KeysThatHoldSetsAndMapsAreFoundAgain()
    {
        var fixture = new CodecFixture();
        HashSet<OfSet> sets = fixture.RoundTrip(new HashSet<OfSet> { new(1), new(2), new(3) });
        Assert.All(sets, key => Assert.Contains(key, sets));
        Assert.Contains(new OfSet(2), sets);
        Dictionary<OfSet, int> map = fixture.RoundTrip(new Dictionary<OfSet, int> { [new(1)] = 1, [new(2)] = 2 });
        Assert.Equal((1, 2), (map[new(1)], map[new(2)]));
        ImmutableHashSet<OfSet> immutable = fixture.RoundTrip(new OfSet[] { new(1), new(2) }.ToImmutableHashSet());
        Assert.Contains(new OfSet(2), immutable);
    }

    [Fact]
    public void ItemsWithoutAKeyMayBeMany()
    {
        var items = new Named { new(null, 1), new(null, 2), new("a", 3) };
        Assert.Equal(3, new CodecFixture().RoundTrip(items).Count);
    }

    [Fact]
    public void KeysOfOneIdentityEachMayHoldTheSame()
    {
        var nodes = new HashSet<Node> { new(), new() };
        Assert.Equal(2, new CodecFixture().RoundTrip(nodes).Count);
        var spots = new Dictionary<Spot, int>(ReferenceEqualityComparer.Instance) { [new Spot()] = 1, [new Spot()] = 2 };
        Assert.Equal(2, new CodecFixture().RoundTrip(spots).Count);
    }

    public sealed class Spot : IComparable<Spot>, IEquatable<Spot>
    {
        public int X { get; set; }

        public int CompareTo(Spot? other) => X.CompareTo(other!.X);

        public bool Equals(Spot? other) => other?.X == X;

        public override bool Equals(object? obj) => Equals(obj as Spot);

        public override int GetHashCode() => X;
    }

    public struct Pair
    {
        public Spot Spot { get; set; }
    }

    public sealed record Marked
    {
        [field: NonSerialized]
        public int Mark { get; init; }

        public int Id { get; init; }
    }

    public record struct MarkedPoint
    {
        public int X;

        [NonSerialized]
        public int Mark;
    }

    public sealed class SpotSet : HashSet<Spot>;

    private sealed class Spots : KeyedCollection<int, Spot>
    {
        protected override int GetKeyForItem(Spot item) => item.X;
    }

    public sealed record Deep(Marked Inner);

    public sealed record Item(string? Name, int Number);

    public sealed class Named : KeyedCollection<string, Item>
    {
        protected override string GetKeyForItem(Item item) => item.Name!;
    }

    public sealed class OfSet(params int[] numbers) : IEquatable<OfSet>
    {
        private readonly HashSet<Spot> _spots = [.. numbers.Select(x => new Spot { X = x })];

        public bool Equals(OfSet? other) => other is not null && _spots.SetEquals(other._spots);

        public override bool Equals(object? obj) => Equals(obj as OfSet);

        public override int GetHashCode() => _spots.Sum(spot => spot.X);
    }

    public sealed class Switching : IEqualityComparer<string>
    {
        public bool IgnoresCase { get; set; }

        public bool Equals(string? x, string? y) =>
            string.Equals(x, y, IgnoresCase ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal);

        public int GetHashCode(string obj) => obj.Length;
    }

    private sealed class Both : IEqualityComparer<Spot>, IComparer<Spot>
    {
        public int Compare(Spot? x, Spot? y) => (x!.X % 10).CompareTo(y!.X % 10);

        public bool Equals(Spot? x, Spot? y) => x!.X == y!.X;

        public int GetHashCode(Spot obj) => obj.X;
    }
}
