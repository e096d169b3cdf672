using System;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Numerics;
using System.Text;

namespace BigPile.Tests.Codec;

public sealed class RoundTripTests
{
    public static TheoryData<CodecMode> Modes => [CodecMode.Interpreted, CodecMode.Generated];

    [Theory, MemberData(nameof(Modes))]
    public void ObjectOfPlainFields(CodecMode mode)
    {
        var fixture = new CodecFixture(mode);
        for (int seed = 0; seed < 300; seed++)
            Check(fixture, Person.Sample(seed * 7919));
    }

    [Theory, MemberData(nameof(Modes))]
    public void GraphWithSharedObjects(CodecMode mode)
    {
        Order copy = Check(new CodecFixture(mode), Order.Sample(1));
        Assert.Same(copy.Lines[0].Product, copy.Lines[8].Product);
    }

    [Theory, MemberData(nameof(Modes))]
    public void Cycle(CodecMode mode)
    {
        var a = new Node { Value = 1 };
        var b = new Node { Value = 2, Next = a, Other = a };
        a.Next = b;
        a.Other = a;
        Node copy = Check(new CodecFixture(mode), a);
        Assert.Same(copy, copy.Other);
        Assert.Same(copy, copy.Next!.Next);
    }

    [Theory, MemberData(nameof(Modes))]
    public void PolymorphicFields(CodecMode mode)
    {
        var circle = new Circle("c", 2);
        var fixture = new CodecFixture(mode);
        Shape[] shapes = [circle, new Rectangle("r", 1, 2)];
        Check(fixture, new Drawing { Main = circle, Frame = new Square("s", 3), Tag = circle, Shapes = shapes });
        Check(fixture,
            new Drawing { Main = new Rectangle("r", 1, 2), Frame = new Rectangle("r", 1, 2), Shapes = new List<Shape> { circle } });
        Check(fixture, new Drawing());
    }

    [Theory, MemberData(nameof(Modes))]
    public void StructuresAndRecords(CodecMode mode)
    {
        var place = new Point3 { X = 1, Y = 2.5, Label = "here" };
        var fixture = new CodecFixture(mode);
        Check(fixture, new Invoice(7, new Money(12.50m, "EUR"), place, place, 5, DayOfWeek.Friday));
        Check(fixture, new Invoice(-7, default, default, null, null, DayOfWeek.Sunday));
        Check(fixture, new Point3[] { place, default, place });
        Check(fixture, new List<Point3?> { place, null });
        Check(fixture, (object)place);
    }

    public static IEnumerable<object> Values() =>
    [
        true, (sbyte)-5, (byte)200, short.MinValue, ushort.MaxValue, int.MinValue, uint.MaxValue, long.MinValue, ulong.MaxValue, 1.5f, -0.0,
        double.NaN, 'ä', '\ud800', 12345.678900m, decimal.MinValue, (Half)1.5, Int128.MinValue, UInt128.MaxValue,
        Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"),
        new DateTime(2020, 2, 3, 4, 5, 6, DateTimeKind.Local), new DateTime(2020, 2, 3, 4, 5, 6, DateTimeKind.Utc), DateTime.MinValue,
        DateTime.MaxValue,
        DateTime.SpecifyKind(DateTime.MaxValue, DateTimeKind.Utc), DateTime.SpecifyKind(DateTime.MinValue, DateTimeKind.Utc),
        new DateTimeOffset(2020, 2, 3, 4, 5, 6, TimeSpan.FromMinutes(-330)), DateTimeOffset.MinValue, DateTimeOffset.MaxValue,
        TimeSpan.MinValue, new DateOnly(2024, 2, 29),
        new TimeOnly(23, 59, 59), DayOfWeek.Monday, new Rune(0x1F600), BigInteger.Pow(-3, 500), BigInteger.Zero, new Complex(1, -2),
        Tuple.Create(1, "a"), (1, "b", 2.0), new KeyValuePair<string, int>("k", 1), new Uri("https://example.org/a?b=c"),
        new Uri("x/y", UriKind.Relative),
        new Version(1, 2, 3, 4), new object(), new Index(3, true), 1..^1, new Vector3(1, 2, 3), PilePointer.FromUInt64(0x0123456789abcdef),
    ];

    [Theory, MemberData(nameof(Modes))]
    public void SingleValuesAsRootAndInObjectFields(CodecMode mode)
    {
        var fixture = new CodecFixture(mode);
        foreach (object value in Values())
        {
            Check(fixture, value);
            Check(fixture, new Drawing { Tag = value });
            Check(fixture, new[] { value, null, value });
        }
    }

    public static IEnumerable<object> Containers() =>
    [
        new[] { 1, 2, 300000 }, Array
            .Empty<int>(), new[] { 1.5, double.NaN }, new[] { true, false }, new[] { 'a', 'é' }, new byte[] { 1, 2, 3 },
        new[] { "a", null, "", "日本語" }, new object?[] { 1, "x", null, 2L, new[] { "nested" } }, new[] { DayOfWeek.Friday },
        new int[][] { [1, 2], [], [3] }, new[,] { { 1, 2, 3 }, { 4, 5, 6 } }, new string[2, 0, 3],
        Array.CreateInstance(typeof(int), [3], [1]),
        Array.CreateInstance(typeof(string), [2, 2], [-1, 5]), new decimal?[] { 1, null }, new[] { TimeSpan.FromSeconds(1) },
        new List<int> { 1, 2 }, new List<string?> { "a", null }, new List<byte> { 9 }, new List<object> { 1, "a" },
        new List<DateTime> { DateTime.MinValue },
        new List<List<int>> { new() { 1 }, new() }, new List<bool> { true },
        new Dictionary<string, int> { ["a"] = 1, ["b"] = 2 }, new Dictionary<int, Person> { [1] = Person.Sample(1) },
        new Dictionary<string, object> { ["a"] = 1, ["b"] = "x", ["c"] = new[] { 1, 2 } }, new Dictionary<(int, string),
        Guid> { [(1, "a")] = default },
        new Dictionary<DayOfWeek, List<int>> { [DayOfWeek.Monday] = [1] },
        .. FrameworkCollections(), new Roster { 1, 2, 3 }, new Roster { Title = "t" }, new Index<int> { ["a"] = 1 },
        new HashSet<string> { "a", "b" }, new HashSet<int>(), new HashSet<Money> { new(1, "EUR") },
    ];

    private static IEnumerable<object> FrameworkCollections()
    {
        string[] texts = ["b", "a", "c"];
        Dictionary<string, int> pairs = new() { ["b"] = 1, ["a"] = 2 };
        return
        [
            new Queue<string>(texts), new Stack<string>(texts), new LinkedList<string>(
                texts), new SortedSet<string>(texts), new SortedSet<Money>(new MoneyOrder()) { new(2, "x"), new(1, "y") },
            new SortedDictionary<string, int>(pairs), new SortedList<string, int>(pairs, StringComparer.OrdinalIgnoreCase),
            new ConcurrentDictionary<string, int>(pairs), new ConcurrentQueue<string>(texts), new ConcurrentStack<string>(texts),
            new ConcurrentBag<string>(texts),
            new Collection<string>([.. texts]), new ObservableCollection<string>(texts), new ReadOnlyCollection<string>(texts),
            new ReadOnlyDictionary<string, int>(pairs),
            ImmutableArray.Create(texts), ImmutableArray<int>.Empty, ImmutableList.Create(texts), ImmutableQueue.Create(texts),
            ImmutableStack.Create(texts),
            ImmutableHashSet.Create(texts), ImmutableSortedSet.Create(texts), ImmutableDictionary.CreateRange(pairs),
            ImmutableSortedDictionary.CreateRange(pairs),
            ImmutableDictionary.Create<string, int>(StringComparer.OrdinalIgnoreCase).Add("A", 1),
            ImmutableHashSet.Create(new Money(1, "a")),
            pairs.ToFrozenDictionary(), pairs.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase), texts.ToFrozenSet(),
            new[] { 1, 2, 3 }.ToFrozenSet(), Array.Empty<string>().ToFrozenSet(),
            new ArraySegment<int>([1, 2, 3], 1, 2),
        ];
    }

    [Theory, MemberData(nameof(Modes))]
    public void Collections(CodecMode mode)
    {
        var fixture = new CodecFixture(mode);
        foreach (object value in Containers())
        {
            Check(fixture, value);
            Check(fixture, new Drawing { Tag = value });
            Check(fixture, new[] { value, value });
        }
    }

    [Fact]
    public void DictionaryKeepsItsComparer()
    {
        var fixture = new CodecFixture();
        foreach (IEqualityComparer<string> comparer in (StringComparer[])[StringComparer.Ordinal, StringComparer.OrdinalIgnoreCase,
            StringComparer.InvariantCulture, StringComparer.InvariantCultureIgnoreCase])
        {
            var dictionary = new Dictionary<string, int>(comparer) { ["Ab"] = 1 };
            Assert.Equal(comparer, Check(fixture, dictionary).Comparer);
            Assert.Equal(comparer, Check(fixture, new HashSet<string>(comparer) { "Ab" }).Comparer);
        }
    }

    [Fact]
    public void ComparerOfTheApplicationIsStoredAsAnObject()
    {
        var dictionary = new Dictionary<string, int>(new LengthComparer { Factor = 3 }) { ["Ab"] = 1, ["c"] = 2 };
        Dictionary<string, int> copy = Check(new CodecFixture(), dictionary);
        Assert.Equal(3, Assert.IsType<LengthComparer>(copy.Comparer).Factor);
        Assert.Equal(2, copy["x"]);
    }

    [Fact]
    public void KeysThatAreObjectsOfTheApplication()
    {
        var fixture = new CodecFixture();
        var key = new Money(1, "EUR");
        Assert.Equal(5, Check(fixture, new Dictionary<Money, int> { [key] = 5 })[key]);
        var self = new Dictionary<object, object>(ReferenceEqualityComparer.Instance);
        self.Add(self, self);
        Dictionary<object, object> copy = fixture.RoundTrip(self);
        Assert.Same(copy, copy[copy]);
    }

    private static T Check<T>(CodecFixture fixture, T value)
        where T : notnull
    {
        T copy = fixture.RoundTrip(value);
        GraphAssert.Same(value, copy);
        return copy;
    }

    private sealed class Roster : List<int>
    {
        public string Title { get; set; } = "title";
    }

    private sealed class Index<T> : Dictionary<string, T>
    {
        public Index() : base(StringComparer.OrdinalIgnoreCase)
        {
        }
    }

    private sealed class MoneyOrder : Comparer<Money>
    {
        public override int Compare(Money x, Money y) => x.Amount.CompareTo(y.Amount);
    }

    private sealed class LengthComparer : EqualityComparer<string>
    {
        public int Factor;

        public override bool Equals(string? x, string? y) => x?.Length == y?.Length;

        public override int GetHashCode(string obj) => obj.Length * Factor;
    }
}
