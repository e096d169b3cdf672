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
    public static IEnumerable<Beside> All() => [.. Values(), .. Collections(), .. Interfaces(), .. Compounds(), .. Objects()];

    private static readonly Guid Id = new("00112233-4455-6677-8899-aabbccddeeff");
    private static readonly DateTime Noon = new(2024, 5, 6, 12, 0, 0, DateTimeKind.Utc);

    private static IEnumerable<Beside> Values() =>
    [
        Beside.Of(true), Beside.Of((sbyte)-7), Beside.Of((byte)200), Beside.Of((short)-300), Beside.Of((ushort)60000), Beside.Of(-70000),
        Beside.Of(3_000_000_000u), Beside.Of(long.MinValue), Beside.Of(ulong.MaxValue), Beside.Of(1.5f), Beside.Of(-2.25), Beside.Of('é'),
        Beside.Of("text é"), Beside.Of(1.2300m), Beside.Of(Id), Beside.Of(Noon),
        Beside.Of(new DateTimeOffset(2024, 5, 6, 7, 8, 9, TimeSpan.FromHours(-9.5))),
        Beside.Of(TimeSpan.FromMinutes(90)), Beside.Of(new DateOnly(2024, 2, 29)), Beside.Of(new TimeOnly(23, 59)), Beside.Of((Half)1.5),
        Beside.Of(new Rune('x')),
        Beside.Of(BigInteger.Pow(-7, 33)), Beside.Of((Int128)(-5)), Beside.Of((UInt128)5), Beside.Of(new Complex(1, -2)),
        Beside.Of(new Vector2(1, 2)),
        Beside.Of(new Vector3(1, 2, 3)), Beside.Of(new Vector4(1, 2, 3, 4)), Beside.Of(new Quaternion(1, 2, 3, 4)),
        Beside.Of(new Matrix3x2(1, 2, 3, 4, 5, 6)),
        Beside.Of(Matrix4x4.CreateScale(3)), Beside.Of(Size.Large), Beside.Of(DayOfWeek.Friday), Beside.Of((int?)5), Beside.Of((Guid?)Id),
        Beside.Of((Size?)Size.Large),
        Beside.Of(new Uri("http://h/a?b")), Beside.Of(new Version(1, 2, 3)), Beside.Of(new StringBuilder("b")), Beside.Of("lone \uD800"),
        Beside.Of(typeof(string)),
    ];

    private static IEnumerable<Beside> Collections() =>
    [
        Beside.Of(new byte[] { 1, 2 }), Beside.Of(
            new[] { 1, 2, 300 }), Beside.Of(new[] { 1.5, 2 }), Beside.Of(new[] { "a", null }), Beside.Of(new[] { Id }),
        Beside.Of(new[] { 1m }), Beside.Of(new[] { Noon }), Beside.Of(new[] { true, false }), Beside.Of(new sbyte[] { -1 }),
        Beside.Of(new[] { 'c' }),
        Beside.Of(new[] { Size.Large }), Beside.Of(new[] { new[] { 1 }, [] }), Beside.Of(new[,] { { 1, 2 }, { 3, 4 } }),
        Beside.Of(new int[1, 2, 1]),
        Beside.Of(new List<int> { 1, 2 }), Beside.Of(new List<byte> { 1, 2 }), Beside.Of(new List<Guid> { Id }),
        Beside.Of(new List<Inner> { new(1, "a") }),
        Beside.Of(new Dictionary<string, int> { ["a"] = 1 }), Beside.Of(new Dictionary<Guid, decimal> { [Id] = 2m }),
        Beside.Of(new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["a"] = 1 }),
        Beside.Of(new HashSet<int> { 3, 1 }), Beside.Of(new Queue<int>([1, 2])), Beside.Of(new Stack<int>([1, 2, 3])),
        Beside.Of(new LinkedList<int>([1, 2])),
        Beside.Of(new SortedSet<int> { 2, 1 }), Beside.Of(new SortedDictionary<int, Guid> { [1] = Id }),
        Beside.Of(new SortedList<int, int> { [1] = 2 }),
        Beside.Of(new ConcurrentDictionary<int, int> { [1] = 2 }), Beside.Of(new ConcurrentQueue<int>([1, 2])),
        Beside.Of(new ConcurrentStack<int>([1, 2, 3])),
        Beside.Of(new ConcurrentBag<int>([1, 2, 3])), Beside.Of(new Collection<int> { 1, 2 }),
        Beside.Of(new ObservableCollection<int> { 1, 2 }),
        Beside.Of(new ReadOnlyCollection<int>([1, 2])), Beside.Of(new ReadOnlyDictionary<int, int>(new Dictionary<int, int> { [1] = 2 })),
        Beside.Of(new PriorityQueue<string, int>([("a", 1)])), Beside.Of(new BitArray([true, false])), Beside.Of(new ArrayList { 1, "a" }),
        Beside.Of(new Hashtable { [1] = 2 }),
        Beside.Of(ImmutableArray.Create(1, 2)), Beside.Of(ImmutableArray.Create(Id)), Beside.Of(ImmutableList.Create(1, 2)),
        Beside.Of(ImmutableQueue.Create(1, 2)),
        Beside.Of(ImmutableStack.Create(1, 2)), Beside.Of(ImmutableHashSet.Create(1)), Beside.Of(ImmutableSortedSet.Create(2, 1)),
        Beside.Of(ImmutableDictionary.Create<int, int>().Add(1, 2)), Beside.Of(ImmutableSortedDictionary.Create<int, int>().Add(1, 2)),
        Beside.Of(new Dictionary<int, int> { [1] = 2 }.ToFrozenDictionary()), Beside.Of(new[] { 1 }.ToFrozenSet()),
        Beside.Of(new OrderedDictionary<string, int> { ["a"] = 1 }), Beside.Of(new ReadOnlySet<int>(new HashSet<int> { 1 })),
    ];

    private static IEnumerable<Beside> Interfaces() =>
    [
        Beside.Of<IList<int>>(new List<int> { 1 }), Beside.Of<IList<int>>(new[] { 1 }), Beside.Of<ICollection<int>>(new List<int> { 1 }),
        Beside.Of<IEnumerable<int>>(new[] { 1 }), Beside.Of<IEnumerable<int>>(new List<int> { 1 }),
        Beside.Of<IReadOnlyList<int>>(new[] { 1 }),
        Beside.Of<IReadOnlyCollection<string>>(new[] { "a" }), Beside.Of<IDictionary<string,
        int>>(new Dictionary<string, int> { ["a"] = 1 }),
        Beside.Of<IDictionary<string, int>>(new SortedDictionary<string, int> { ["a"] = 1 }), Beside.Of<IReadOnlyDictionary<int,
        int>>(new Dictionary<int, int> { [1] = 2 }),
        Beside.Of<ISet<int>>(new HashSet<int> { 1 }), Beside.Of<ISet<int>>(new SortedSet<int> { 1 }),
        Beside.Of<IReadOnlySet<int>>(new HashSet<int> { 1 }),
        Beside.Of<ILookup<int, int>>(new[] { 1, 2 }.ToLookup(n => n % 2)), Beside.Of<IShape>(new Square(3)), Beside.Of<IComparable>(5),
        Beside.Of<IImmutableList<int>>(ImmutableList.Create(1)), Beside.Of<IList>(new List<int> { 1 }), Beside.Of<IEnumerable>(new[] { 1 }),
    ];

    private static IEnumerable<Beside> Compounds() =>
    [
        Beside.Of((1, "a")), Beside.Of(
            (Id, 2m, new[] { 1, 2 })), Beside.Of(((Guid?)Id, Noon)), Beside.Of((1, 2, 3, 4, 5, 6, 7, 8)), Beside.Of(Tuple.Create(Id, 1)),
        Beside.Of(Tuple.Create(new[] { 1.5 })), Beside.Of(new KeyValuePair<Guid, decimal>(Id, 3m)),
        Beside.Of(new KeyValuePair<int, int[]>(1, [2])),
        Beside.Of(new ArraySegment<int>([1, 2, 3], 1, 1)), Beside.Of(new ArraySegment<byte>([1, 2, 3], 1, 1)),
        Beside.Of(new Memory<byte>([1, 2])),
        Beside.Of(new ReadOnlyMemory<byte>([1, 2])), Beside.Of(new Memory<int>([1, 2])), Beside.Of(new List<(Guid, int)> { (Id, 1) }),
        Beside.Of(new Lazy<int>(5)),
        Beside.Of(new Dictionary<(int, int), List<Guid>> { [(1, 2)] = [Id] }),
    ];

    private static IEnumerable<Beside> Objects() =>
    [
        Beside.Of(new Inner(1, "n")), Beside.Of(
            new Spot { X = 1, Y = 2 }), Beside.Of((Spot?)new Spot { X = 3 }), Beside.Of(new Named { Id = 1, Text = "t" }),
        Beside.Of(new Child { Id = 1, Name = "c" }), Beside.Of<Parent>(new Child { Id = 1, Name = "c" }),
        Beside.Of(new Keyed<Guid> { Value = Id }),
        Beside.Of(new Bare { Id = 3 }), Beside.Of<object>(5), Beside.Of<object>("text"), Beside.Of<object>(new[] { 1 }),
        Beside.Of<object>(new Inner(1, "o")),
        Beside.Of(new Formatted { Id = Id }), Beside.Of(new OwnForm { Id = 4 }), Beside.Of(new object[] { 1, "a" }),
        Beside.OfShared(new Inner(1, "shared")),
        Beside.Of(new[] { new Inner(1, "a"), null }), Beside.Of(PilePointer.FromUInt64(5)), Beside.Of<Inner>(null!),
        Beside.Of<object>(null!),
    ];
}
