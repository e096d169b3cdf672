using System;
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Text;
using MessagePack;

namespace BigPile.Tests.Codec;

/// <summary>Types with the attributes of MessagePack-CSharp have that library's bytes.</summary>
public sealed class ContractTests
{
    private readonly CodecFixture _fixture = new();
    private readonly CodecFixture _extending = new(options: new PileCodecOptions { MayExtendContracts = true });

    [Fact]
    public void IndexedKeysAreAnArrayWithNilInTheGaps()
    {
        var value = new Indexed { First = 1, Third = "c", Fourth = true, Ignored = 5 };
        Assert.Equal("94 01 C0 A1 63 C3", Body(value));
        Indexed copy = _fixture.RoundTrip(value);
        Assert.Equal((1, "c", true, 0), (copy.First, copy.Third, copy.Fourth, copy.Ignored));
    }

    [Fact]
    public void NamedKeysAreAMap()
    {
        var value = new Named { Age = 7, Name = "x" };
        Assert.Equal("82 A1 6E A1 78 A3 61 67 65 07", Body(value));
        Named copy = _fixture.RoundTrip(value);
        Assert.Equal((7, "x"), (copy.Age, copy.Name));
    }

    [Fact]
    public void PropertyNamesAsKeys()
    {
        var value = new ByName { B = 2, A = 1 };
        Assert.Equal("82 A1 42 02 A1 41 01", Body(value));
        Assert.Equal((1, 2), (_fixture.RoundTrip(value).A, _fixture.RoundTrip(value).B));
    }

    [Fact]
    public void DataContractsStoreWhatIsMarked()
    {
        var value = new Contracted { Marked = 3, Unmarked = 4 };
        Assert.Equal("81 A1 6D 03", Body(value));
        Assert.Equal((3, 0), (_fixture.RoundTrip(value).Marked, _fixture.RoundTrip(value).Unmarked));
    }

    [Fact]
    public void ValuesHaveThatLibrarysForms()
    {
        var value = new Values
        {
            Price = 12.50m,
            Id = new Guid("00112233-4455-6677-8899-aabbccddeeff"),
            Maybe = 1.5m,
            Numbers = [1, 300],
            Bytes = [1, 2],
            List = [-1],
            Map = new() { ["a"] = 0.5m },
            When = new DateTime(1970, 1, 1, 0, 0, 1, DateTimeKind.Unspecified),
            Half = (Half)1,
            Span = TimeSpan.FromTicks(5),
            Day = DayOfWeek.Friday,
            Flags = [true, false],
            Nested = [[1]],
        };
        string id = Convert.ToHexString(Encoding.ASCII.GetBytes("00112233-4455-6677-8899-aabbccddeeff"));
        string expected = "9D" + "A5" + "31322E3530" + "D924" + id + "A3312E35" + "9201CD012C" + "C4020102" + "91FF" + "81A161A3302E35"
            + "D6FF00000001" + "CA3F800000" + "05" + "05" + "92C3C2" + "919101";
        Assert.Equal(expected, Body(value).Replace(" ", "", StringComparison.Ordinal));
        Values copy = _fixture.RoundTrip(value);
        Assert.Equal((12.50m, value.Id, 1.5m), (copy.Price, copy.Id, copy.Maybe));
        Assert.Equal([1, 300], copy.Numbers!);
        Assert.Equal(0.5m, copy.Map!["a"]);
        Assert.Equal(new DateTime(1970, 1, 1, 0, 0, 1, DateTimeKind.Utc), copy.When);
    }

    [Fact]
    public void UnionsAreArraysOfKeyAndObject()
    {
        var value = new Cage { Main = new Cat { Lives = 9 }, All = [new Dog { Name = "d" }, null, new Cat()] };
        Assert.Equal("92 92 00 91 09 93 92 01 91 A1 64 C0 92 00 91 00", Body(value));
        Cage copy = _fixture.RoundTrip(value);
        Assert.Equal(9, Assert.IsType<Cat>(copy.Main).Lives);
        Assert.IsType<Dog>(copy.All![0]);
        var stranger = new Cage { Main = new Stray { Place = "s" }, All = [] };
        Assert.Equal("s", Assert.IsType<Stray>(_extending.RoundTrip(stranger).Main).Place);
        Assert.Contains("Stray", Refusal(stranger), StringComparison.Ordinal);
        var shared = new Cat();
        Assert.Contains("two places", Refusal(new Cage { Main = shared, All = [shared] }), StringComparison.Ordinal);
        copy = _extending.RoundTrip(new Cage { Main = shared, All = [shared] });
        Assert.Same(copy.Main, copy.All![0]);
    }

    private string Refusal(object value)
    {
        string message = Assert.Throws<PileSerializationException>(() => _fixture.Write(value)).Message;
        Assert.Contains(nameof(PileCodecOptions.MayExtendContracts), message, StringComparison.Ordinal);
        return message;
    }

    [Fact]
    public void ContractsInsideOrdinaryObjectsMayBeShared()
    {
        var shared = new Cat { Lives = 3 };
        var copy = _fixture.RoundTrip(new object[] { shared, new Cage { Main = shared, All = [] } });
        Assert.Same(copy[0], ((Cage)copy[1]).Main);
    }

    [Fact]
    public void WhatWasExtendedIsReadByACodecThatDoesNotExtend()
    {
        var shared = new Cat { Lives = 3 };
        byte[] payload = _extending.Write(new Cage { Main = shared, All = [shared] });
        var copy = (Cage)new CodecFixture(catalog: _extending.Catalog).Read(payload);
        Assert.Same(copy.Main, copy.All![0]);
    }

    [Fact]
    public void StructuresWithKeysInsideOrdinaryObjects()
    {
        var value = new Drawing { Tag = new KeyedPoint { X = 1, Y = 2 } };
        GraphAssert.Same(value, _fixture.RoundTrip(value));
        var named = new List<NamedPoint> { new() { X = 5 } };
        GraphAssert.Same(named, _fixture.RoundTrip(named));
        GraphAssert.Same(named[0], _fixture.RoundTrip(named[0]));
        GraphAssert.Same(
            new object[] { named[0], new Named { Name = "n" } }, _fixture.RoundTrip(new object[] { named[0], new Named { Name = "n" } }));
    }

    [Fact]
    public void MembersWithoutAKeyAreAnError()
    {
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => _fixture.Write(new Keyless()));
        Assert.Contains("Forgotten", e.Message, StringComparison.Ordinal);
    }

    private string Body(object value) => BitConverter.ToString(_fixture.Write(value), 4).Replace('-', ' ');
}

[MessagePackObject]
public sealed class Indexed
{
    [Key(3)]
    public bool Fourth;

    [Key(0)]
    public int First { get; set; }

    [Key(2)]
    public string? Third { get; set; }

    [IgnoreMember]
    public int Ignored { get; set; }
}

[MessagePackObject]
public sealed class Named
{
    [Key("age")]
    public int Age;

    [Key("n")]
    public string? Name { get; set; }
}

[MessagePackObject(true)]
public sealed class ByName
{
    public int B { get; set; }

    public int A { get; set; }

    public int Sum => A + B;
}

[DataContract]
public sealed class Contracted
{
    [DataMember(Name = "m")]
    public int Marked { get; set; }

    public int Unmarked { get; set; }
}

#pragma warning disable CA1819, CA2227, CA1002
[MessagePackObject]
public sealed class Values
{
    [Key(0)]
    public decimal Price { get; set; }

    [Key(1)]
    public Guid Id { get; set; }

    [Key(2)]
    public decimal? Maybe { get; set; }

    [Key(3)]
    public int[]? Numbers { get; set; }

    [Key(4)]
    public byte[]? Bytes { get; set; }

    [Key(5)]
    public List<long>? List { get; set; }

    [Key(6)]
    public Dictionary<string, decimal>? Map { get; set; }

    [Key(7)]
    public DateTime When { get; set; }

    [Key(8)]
    public Half Half { get; set; }

    [Key(9)]
    public TimeSpan Span { get; set; }

    [Key(10)]
    public DayOfWeek Day { get; set; }

    [Key(11)]
    public bool[]? Flags { get; set; }

    [Key(12)]
    public int[][]? Nested { get; set; }
}

[Union(0, typeof(Cat))]
[Union(1, typeof(Dog))]
public interface IAnimal;

[MessagePackObject]
public sealed class Cat : IAnimal
{
    [Key(0)]
    public int Lives { get; set; }
}

[MessagePackObject]
public sealed class Dog : IAnimal
{
    [Key(0)]
    public string? Name { get; set; }
}

public sealed class Stray : IAnimal
{
    public string? Place { get; set; }
}

[MessagePackObject]
public sealed class Cage
{
    [Key(0)]
    public IAnimal? Main { get; set; }

    [Key(1)]
    public IAnimal?[]? All { get; set; }
}

[MessagePackObject]
public struct KeyedPoint
{
    [Key(1)]
    public int Y { get; set; }

    [Key(0)]
    public int X { get; set; }
}

[MessagePackObject(true)]
public struct NamedPoint
{
    public int X { get; set; }
}

[MessagePackObject]
public sealed class Keyless
{
    [Key(0)]
    public int Kept { get; set; }

    public int Forgotten { get; set; }
}
