using System.Collections.Generic;
using MessagePack;

namespace BigPile.Tests.Codec;

#pragma warning disable CA1051, CA1002, CA1819, CA1814 // Public fields and lists, as users of that library write them.
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

[MessagePackObject(true)]
public sealed class NamedMembers
{
    public int Alpha = 1;

    public string? Beta = "b";

    public List<int> Gamma = [1];
}
