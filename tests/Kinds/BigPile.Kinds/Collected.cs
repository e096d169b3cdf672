using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Collections.Specialized;
using System.Dynamic;
using System.Linq;
using System.Net;

namespace BigPile.Kinds;

/// <summary>Collections of the base class library.</summary>
internal static class Collected
{
    private static readonly Point[] Points = [new(1, 2), new(3, 4)];

    public static IEnumerable<Kind> All() =>
    [
        .. Places.Of("hash set", () => new HashSet<Point>(Points)),
        .. Places.Of("set without case", () => new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "a" }),
        .. Places.Of("queue", () => new Queue<Point>(Points)),
        .. Places.Of("stack", () => new Stack<Point>(Points)),
        .. Places.Of("linked list", () => new LinkedList<Point>(Points)),
        .. Places.Of("sorted set", () => new SortedSet<int> { 3, 1 }),
        .. Places.Of("sorted dictionary", () => new SortedDictionary<string, Point>(StringComparer.Ordinal) { ["b"] = Points[0] }),
        .. Places.Of("sorted list", () => new SortedList<int, Point> { [5] = Points[0] }),
        .. Places.Of("priority queue", () => new PriorityQueue<Point, int>([(Points[0], 2), (Points[1], 1)])),
        .. Places.Of("concurrent dictionary", () => new ConcurrentDictionary<Point, int>([new(Points[0], 1)])),
        .. Places.Of("concurrent stack", () => new ConcurrentStack<int>([1, 2, 3])),
        .. Places.Of("observable", () => new ObservableCollection<Point>(Points)),
        .. Places.Of("read-only list", () => new ReadOnlyCollection<Point>(Points)),
        .. Places.Of("read-only dictionary", () => new ReadOnlyDictionary<int, Point>(new Dictionary<int, Point> { [1] = Points[0] })),
        .. Places.Of("immutable array", () => ImmutableArray.Create(Points)),
        .. Places.Of("immutable list", () => ImmutableList.Create(Points)),
        .. Places.Of("immutable set", () => ImmutableHashSet.Create(Points[0])),
        .. Places.Of("immutable sorted dictionary", () => ImmutableSortedDictionary.Create<int, Point>().Add(1, Points[0])),
        .. Places.Of("frozen dictionary", () => new Dictionary<Point, string> { [Points[0]] = "a" }.ToFrozenDictionary()),
        .. Places.Of("frozen set", () => Points.ToFrozenSet()),
        .. Places.Of("bits", () => new BitArray([true, false, true])),
        .. Places.Of("old list", () => new ArrayList { 1, "two", Points[0] }),
        .. Places.Of("old table", () => new Hashtable { [1] = Points[0] }),
        .. Places.Of("ordered dictionary", () =>
            new OrderedDictionary<string, Point>(StringComparer.OrdinalIgnoreCase) { ["z"] = Points[0], ["a"] = Points[1] }),
        .. Places.Of("read-only set", () => new ReadOnlySet<int>(new HashSet<int> { 3, 1 })),
        .. Places.Of("lookup", () => Points.ToLookup(point => point.X > 1)),
        .. Places.Of("lookup by records", () => (Lookup<Point, int>)new[] { 1, 2, 3 }.ToLookup(n => Points[n % 2])),
        .. Places.Of("empty lookup", () => Array.Empty<string>().ToLookup(text => text.Length)),
        .. Places.Of("names and values", () => new NameValueCollection { { "a", "1" }, { "A", "2" }, { null, "3" }, { "none", null } }),
        .. Places.Of("expando", Expando),
        .. Places.Of("database null", () => DBNull.Value),
        .. Places.Of("end point", () => IPEndPoint.Parse("[fe80::1]:80")),
        .. Places.Of("color", () => System.Drawing.Color.FromArgb(1, 2, 3, 4)),
        .. Places.Of("named color", () => System.Drawing.Color.Tomato),
        .. Places.Of("memory", () => new Memory<byte>([1, 2, 3], 1, 2)),
        .. Places.Of("memory of numbers", () => new Memory<int>([1, 2, 3], 1, 2)),
        .. Places.Of("memory of records", () => new ReadOnlyMemory<Point>(Points)),
    ];


    private static ExpandoObject Expando()
    {
        var expando = new ExpandoObject();
        IDictionary<string, object?> members = expando;
        members["b"] = 5;
        members["a"] = Points[0];
        return expando;
    }
}
