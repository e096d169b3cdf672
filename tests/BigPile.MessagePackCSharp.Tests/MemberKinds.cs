using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;
using System.Numerics;
using System.Text;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>Members of every type that the library, or the pile, knows.</summary>
internal static class MemberKinds
{
    public static IEnumerable<ByteComparison> All() => [.. Values(), .. Collections(), .. Interfaces(), .. Compounds(), .. Objects()];

    private static readonly Guid Id = new("00112233-4455-6677-8899-aabbccddeeff");
    private static readonly DateTime Noon = new(2024, 5, 6, 12, 0, 0, DateTimeKind.Utc);

    private static IEnumerable<ByteComparison> Values() =>
    [
        ByteComparison.Of(true), ByteComparison.Of((sbyte)-7), ByteComparison.Of((byte)200), ByteComparison.Of((short)-300),
        ByteComparison.Of((ushort)60000), ByteComparison.Of(-70000),
        ByteComparison.Of(3_000_000_000u), ByteComparison.Of(long.MinValue), ByteComparison.Of(ulong.MaxValue), ByteComparison.Of(1.5f),
        ByteComparison.Of(-2.25), ByteComparison.Of('é'),
        ByteComparison.Of("text é"), ByteComparison.Of(1.2300m), ByteComparison.Of(Id), ByteComparison.Of(Noon),
        ByteComparison.Of(new DateTimeOffset(2024, 5, 6, 7, 8, 9, TimeSpan.FromHours(-9.5))),
        ByteComparison.Of(TimeSpan.FromMinutes(90)), ByteComparison.Of(new DateOnly(2024, 2, 29)), ByteComparison.Of(new TimeOnly(23, 59)),
        ByteComparison.Of((Half)1.5),
        ByteComparison.Of(new Rune('x')),
        ByteComparison.Of(BigInteger.Pow(-7, 33)), ByteComparison.Of((Int128)(-5)), ByteComparison.Of((UInt128)5),
        ByteComparison.Of(new Complex(1, -2)),
        ByteComparison.Of(new Vector2(1, 2)),
        ByteComparison.Of(new Vector3(1, 2, 3)), ByteComparison.Of(new Vector4(1, 2, 3, 4)), ByteComparison.Of(new Quaternion(1, 2, 3, 4)),
        ByteComparison.Of(new Matrix3x2(1, 2, 3, 4, 5, 6)),
        ByteComparison.Of(Matrix4x4.CreateScale(3)), ByteComparison.Of(Size.Large), ByteComparison.Of(DayOfWeek.Friday),
        ByteComparison.Of((int?)5), ByteComparison.Of((Guid?)Id),
        ByteComparison.Of((Size?)Size.Large),
        ByteComparison.Of(new Uri("http://h/a?b")), ByteComparison.Of(new Version(1, 2, 3)), ByteComparison.Of(new StringBuilder("b")),
        ByteComparison.Of("lone \uD800"),
        ByteComparison.Of(typeof(string)),
    ];

    private static IEnumerable<ByteComparison> Collections() =>
    [
        ByteComparison.Of(new byte[] { 1, 2 }), ByteComparison.Of(
            new[] { 1, 2, 300 }), ByteComparison.Of(new[] { 1.5, 2 }), ByteComparison.Of(new[] { "a", null }),
        ByteComparison.Of(new[] { Id }),
        ByteComparison.Of(new[] { 1m }), ByteComparison.Of(new[] { Noon }), ByteComparison.Of(new[] { true, false }),
        ByteComparison.Of(new sbyte[] { -1 }),
        ByteComparison.Of(new[] { 'c' }),
        ByteComparison.Of(new[] { Size.Large }), ByteComparison.Of(new[] { new[] { 1 }, [] }),
        ByteComparison.Of(new[,] { { 1, 2 }, { 3, 4 } }),
        ByteComparison.Of(new int[1, 2, 1]),
        ByteComparison.Of(new List<int> { 1, 2 }), ByteComparison.Of(new List<byte> { 1, 2 }), ByteComparison.Of(new List<Guid> { Id }),
        ByteComparison.Of(new List<Inner> { new(1, "a") }),
        ByteComparison.Of(new Dictionary<string, int> { ["a"] = 1 }), ByteComparison.Of(new Dictionary<Guid, decimal> { [Id] = 2m }),
        ByteComparison.Of(new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["a"] = 1 }),
        ByteComparison.Of(new HashSet<int> { 3, 1 }), ByteComparison.Of(new Queue<int>([1, 2])),
        ByteComparison.Of(new Stack<int>([1, 2, 3])),
        ByteComparison.Of(new LinkedList<int>([1, 2])),
        ByteComparison.Of(new SortedSet<int> { 2, 1 }), ByteComparison.Of(new SortedDictionary<int, Guid> { [1] = Id }),
        ByteComparison.Of(new SortedList<int, int> { [1] = 2 }),
        ByteComparison.Of(new ConcurrentDictionary<int, int> { [1] = 2 }), ByteComparison.Of(new ConcurrentQueue<int>([1, 2])),
        ByteComparison.Of(new ConcurrentStack<int>([1, 2, 3])),
        ByteComparison.Of(new ConcurrentBag<int>([1, 2, 3])), ByteComparison.Of(new Collection<int> { 1, 2 }),
        ByteComparison.Of(new ObservableCollection<int> { 1, 2 }),
        ByteComparison.Of(new ReadOnlyCollection<int>([1, 2])),
        ByteComparison.Of(new ReadOnlyDictionary<int, int>(new Dictionary<int, int> { [1] = 2 })),
        ByteComparison.Of(new PriorityQueue<string, int>([("a", 1)])), ByteComparison.Of(new BitArray([true, false])),
        ByteComparison.Of(new ArrayList { 1, "a" }),
        ByteComparison.Of(new Hashtable { [1] = 2 }),
        ByteComparison.Of(ImmutableArray.Create(1, 2)), ByteComparison.Of(ImmutableArray.Create(Id)),
        ByteComparison.Of(ImmutableList.Create(1, 2)),
        ByteComparison.Of(ImmutableQueue.Create(1, 2)),
        ByteComparison.Of(ImmutableStack.Create(1, 2)), ByteComparison.Of(ImmutableHashSet.Create(1)),
        ByteComparison.Of(ImmutableSortedSet.Create(2, 1)),
        ByteComparison.Of(ImmutableDictionary.Create<int, int>().Add(1, 2)),
        ByteComparison.Of(ImmutableSortedDictionary.Create<int, int>().Add(1, 2)),
        ByteComparison.Of(new Dictionary<int, int> { [1] = 2 }.ToFrozenDictionary()), ByteComparison.Of(new[] { 1 }.ToFrozenSet()),
        ByteComparison.Of(new OrderedDictionary<string, int> { ["a"] = 1 }),
        ByteComparison.Of(new ReadOnlySet<int>(new HashSet<int> { 1 })),
    ];

    private static IEnumerable<ByteComparison> Interfaces() =>
    [
        ByteComparison.Of<IList<int>>(new List<int> { 1 }), ByteComparison.Of<IList<int>>(new[] { 1 }),
        ByteComparison.Of<ICollection<int>>(new List<int> { 1 }),
        ByteComparison.Of<IEnumerable<int>>(new[] { 1 }), ByteComparison.Of<IEnumerable<int>>(new List<int> { 1 }),
        ByteComparison.Of<IReadOnlyList<int>>(new[] { 1 }),
        ByteComparison.Of<IReadOnlyCollection<string>>(new[] { "a" }),
        ByteComparison.Of<IDictionary<string, int>>(new Dictionary<string, int> { ["a"] = 1 }),
        ByteComparison.Of<IDictionary<string, int>>(new SortedDictionary<string, int> { ["a"] = 1 }),
        ByteComparison.Of<IReadOnlyDictionary<int, int>>(new Dictionary<int, int> { [1] = 2 }),
        ByteComparison.Of<ISet<int>>(new HashSet<int> { 1 }), ByteComparison.Of<ISet<int>>(new SortedSet<int> { 1 }),
        ByteComparison.Of<IReadOnlySet<int>>(new HashSet<int> { 1 }),
        ByteComparison.Of<ILookup<int, int>>(new[] { 1, 2 }.ToLookup(n => n % 2)), ByteComparison.Of<IShape>(new Square(3)),
        ByteComparison.Of<IComparable>(5),
        ByteComparison.Of<IImmutableList<int>>(ImmutableList.Create(1)), ByteComparison.Of<IList>(new List<int> { 1 }),
        ByteComparison.Of<IEnumerable>(new[] { 1 }),
    ];

    private static IEnumerable<ByteComparison> Compounds() =>
    [
        ByteComparison.Of((1, "a")), ByteComparison.Of(
            (Id, 2m, new[] { 1, 2 })), ByteComparison.Of(((Guid?)Id, Noon)), ByteComparison.Of((1, 2, 3, 4, 5, 6, 7, 8)),
        ByteComparison.Of(Tuple.Create(Id, 1)),
        ByteComparison.Of(Tuple.Create(new[] { 1.5 })), ByteComparison.Of(new KeyValuePair<Guid, decimal>(Id, 3m)),
        ByteComparison.Of(new KeyValuePair<int, int[]>(1, [2])),
        ByteComparison.Of(new ArraySegment<int>([1, 2, 3], 1, 1)), ByteComparison.Of(new ArraySegment<byte>([1, 2, 3], 1, 1)),
        ByteComparison.Of(new Memory<byte>([1, 2])),
        ByteComparison.Of(new ReadOnlyMemory<byte>([1, 2])), ByteComparison.Of(new Memory<int>([1, 2])),
        ByteComparison.Of(new List<(Guid, int)> { (Id, 1) }),
        ByteComparison.Of(new Lazy<int>(5)),
        ByteComparison.Of(new Dictionary<(int, int), List<Guid>> { [(1, 2)] = [Id] }),
    ];

    private static IEnumerable<ByteComparison> Objects() =>
    [
        ByteComparison.Of(new Inner(1, "n")), ByteComparison.Of(
            new Spot { X = 1, Y = 2 }), ByteComparison.Of((Spot?)new Spot { X = 3 }), ByteComparison.Of(new Named { Id = 1, Text = "t" }),
        ByteComparison.Of(new Child { Id = 1, Name = "c" }), ByteComparison.Of<Parent>(new Child { Id = 1, Name = "c" }),
        ByteComparison.Of(new Keyed<Guid> { Value = Id }),
        ByteComparison.Of(new Bare { Id = 3 }), ByteComparison.Of<object>(5), ByteComparison.Of<object>("text"),
        ByteComparison.Of<object>(new[] { 1 }),
        ByteComparison.Of<object>(new Inner(1, "o")),
        ByteComparison.Of(new Formatted { Id = Id }), ByteComparison.Of(new OwnForm { Id = 4 }), ByteComparison.Of(new object[] { 1, "a" }),
        ByteComparison.OfShared(new Inner(1, "shared")),
        ByteComparison.Of(new[] { new Inner(1, "a"), null }), ByteComparison.Of(PilePointer.FromUInt64(5)), ByteComparison.Of<Inner>(null!),
        ByteComparison.Of<object>(null!),
    ];
}
