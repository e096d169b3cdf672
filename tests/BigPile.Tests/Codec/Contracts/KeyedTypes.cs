using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Numerics;
using MessagePack;

namespace BigPile.Tests.Codec;

#pragma warning disable CA1051, CA1002, CA1819, CA1814 // Public fields and lists are what users of that library have.
public enum KeyedColor : byte
{
    Red = 1,
    Blue = 200,
}

[MessagePackObject]
public class KeyedBase
{
    [Key(0)]
    public int A = 1;
}

[MessagePackObject]
public struct KeyedStruct
{
    [Key(0)]
    public int A;

    [Key(1)]
    public string? B;
}

[MessagePackObject]
public sealed class KeyedNumbers
{
    [Key(0)]
    public sbyte A = -5;

    [Key(1)]
    public short B = -3000;

    [Key(2)]
    public long C = long.MinValue;

    [Key(3)]
    public ulong D = ulong.MaxValue;

    [Key(4)]
    public uint E = 70000;

    [Key(5)]
    public ushort F = 300;

    [Key(6)]
    public byte G = 200;

    [Key(7)]
    public int H = -33;

    [Key(8)]
    public char I = 'x';

    [Key(9)]
    public float J = 1.5f;

    [Key(10)]
    public double K = 2.5;

    [Key(11)]
    public bool L = true;

    [Key(12)]
    public KeyedColor M = KeyedColor.Blue;

    [Key(13)]
    public int? N = 5;

    [Key(14)]
    public KeyedColor? O = KeyedColor.Red;

    [Key(15)]
    public int? P;
}

[MessagePackObject]
public sealed class KeyedTexts
{
    [Key(0)]
    public string A = "";

    [Key(1)]
    public string? B;

    [Key(2)]
    public string C = new string('a', 31);

    [Key(3)]
    public string D = new string('b', 32);

    [Key(4)]
    public string E = new string('é', 20);

    [Key(5)]
    public Uri G = new("http://a/b?c");

    [Key(6)]
    public Version H = new(1, 2, 3);
}

[MessagePackObject]
public sealed class KeyedTimes
{
    [Key(0)]
    public DateTime A = new(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc);

    [Key(1)]
    public DateTime B = new(1950, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    [Key(2)]
    public DateTimeOffset C = new(2024, 5, 6, 7, 8, 9, TimeSpan.FromHours(2));

    [Key(3)]
    public TimeSpan D = TimeSpan.FromMinutes(-90);

    [Key(4)]
    public DateTime E = new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc).AddTicks(1234567);

    [Key(5)]
    public DateTime? F;
}

[MessagePackObject]
public sealed class KeyedDays
{
    [Key(0)]
    public DateOnly A = new(2024, 1, 2);

    [Key(1)]
    public TimeOnly B = new(1, 2, 3);
}

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
public sealed class KeyedWideNumbers
{
    [Key(0)]
    public BigInteger A = 12345678901234567890;

    [Key(1)]
    public Guid? B = new Guid("00112233-4455-6677-8899-aabbccddeeff");

    [Key(2)]
    public decimal C = -0.5m;

    [Key(3)]
    public Half D = (Half)2;
}

[MessagePackObject]
public sealed class KeyedDerived : KeyedBase
{
    [Key(1)]
    public int B = 2;
}

[MessagePackObject]
public sealed class KeyedNest
{
    [Key(0)]
    public KeyedBase A = new();

    [Key(1)]
    public KeyedBase? B;

    [Key(2)]
    public KeyedStruct C = new() { A = 1, B = "s" };

    [Key(3)]
    public KeyedStruct? D;

    [Key(4)]
    public List<KeyedStruct> E = [new() { A = 7 }];

    [Key(5)]
    public Dictionary<string, KeyedBase> F = new() { ["k"] = new() };
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

[MessagePackObject(true)]
public sealed class NamedMembers
{
    public int Alpha = 1;

    public string? Beta = "b";

    public List<int> Gamma = [1];
}
