using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Immutable;
using MessagePack;

namespace BigPile.Tests.Codec;

#pragma warning disable CA1051, CA1002, CA1819, CA1814 // Public fields and lists, as users of that library write them.
[MessagePackObject]
public sealed class KeyedArrays
{
    [Key(0)]
    public int[] A = [1, -1, 70000];

    [Key(1)]
    public double[] B = [1.5];

    [Key(2)]
    public byte[] C = [1, 2];

    [Key(3)]
    public string?[] D = ["x", null];

    [Key(4)]
    public bool[] F = [true];

    [Key(5)]
    public char[] G = ['a'];

    [Key(6)]
    public DateTime[] H = [new(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc)];

    [Key(7)]
    public KeyedColor[] I = [KeyedColor.Blue];

    [Key(8)]
    public List<byte> J = [1, 2];

    [Key(9)]
    public sbyte[] K = [-1];

    [Key(10)]
    public float[] L = [1f];
}

[MessagePackObject]
public sealed class KeyedCollections
{
    [Key(0)]
    public List<int> A = [1];

    [Key(1)]
    public Dictionary<int, string> B = new() { [1] = "a" };

    [Key(2)]
    public HashSet<int> C = [3];

    [Key(3)]
    public Queue<int> D = new([1, 2]);

    [Key(4)]
    public Stack<int> E = new([1, 2]);

    [Key(5)]
    public LinkedList<int> F = new([1]);

    [Key(6)]
    public SortedDictionary<string, int> G = new() { ["a"] = 1 };
}

[MessagePackObject]
public sealed class KeyedImmutables
{
    [Key(0)]
    public ImmutableArray<int> A = [1, 2];

    [Key(1)]
    public ImmutableList<int> B = [1];

    [Key(2)]
    public ImmutableDictionary<string, int> C = ImmutableDictionary<string, int>.Empty.Add("a", 1);
}

[MessagePackObject]
public sealed class KeyedInterfaces
{
    [Key(0)]
    public IList<int> A = new List<int> { 1 };

    [Key(1)]
    public IReadOnlyList<int> B = new[] { 2 };

    [Key(2)]
    public IDictionary<string, int> C = new Dictionary<string, int> { ["a"] = 1 };

    [Key(3)]
    public IEnumerable<int> D = new int[] { 4 };

    [Key(4)]
    public ISet<int> E = new HashSet<int> { 5 };

    [Key(5)]
    public IReadOnlyDictionary<int, int> F = new Dictionary<int, int> { [1] = 2 };

    [Key(6)]
    public ICollection<int> G = new List<int> { 6 };
}

[MessagePackObject]
public sealed class KeyedTuples
{
    [Key(0)]
    public (int, string) A = (1, "a");

    [Key(1)]
    public Tuple<int, string> B = Tuple.Create(2, "b");

    [Key(2)]
    public KeyValuePair<int, string> C = new(3, "c");
}

[MessagePackObject]
public sealed class KeyedViews
{
    [Key(0)]
    public ReadOnlyMemory<byte> B = new byte[] { 4 };

    [Key(1)]
    public Memory<byte> C = new byte[] { 5 };
}

[MessagePackObject]
public sealed class KeyedBits
{
    [Key(0)]
    public BitArray A = new([true, false]);
}
