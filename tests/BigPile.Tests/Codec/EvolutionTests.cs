using System;
using System.Collections.Generic;
using System.Text;
using MessagePack;

namespace BigPile.Tests.Codec;

/// <summary>Payloads of classes that have changed since: written as types of OldWorld, read as those of NewWorld, by renaming in the catalog.</summary>
public sealed class EvolutionTests
{
    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void MembersAreFoundByName(CodecMode mode)
    {
        var address = new OldWorld.Address { City = "Ulm", Zip = 89073 };
        var customer = new OldWorld.Customer
        {
            Name = "Ada", Age = 36, Rate = 1.5f, Home = address, Tags = ["a", "b"], Maybe = 7, Place = new() { X = 1, Y = 2 },
            Gone = 5, Day = DayOfWeek.Friday, Numbers = [1, 2], Friends = [],
        };
        customer.Friends.Add(customer);
        for (int i = 0; i < 100; i++)
        {
            var copy = (NewWorld.Customer)ReadAsNew(mode, customer);
            Assert.Equal("Ada", copy.Name);
            Assert.Equal(36L, copy.Age);
            Assert.Equal(1.5, copy.Rate);
            Assert.Equal(("Ulm", 89073), (copy.Home!.City, copy.Home.Zip));
            Assert.Equal(["a", "b"], copy.Tags!);
            Assert.Equal(7, copy.Maybe);
            Assert.Equal((1L, 2, 0), (copy.Place.X, copy.Place.Y, copy.Place.Z));
            Assert.Equal((DayOfWeek.Friday, null), (copy.Day, copy.New));
            Assert.Equal([1, 2], copy.Numbers!);
            Assert.Same(copy, copy.Friends![0]);
        }
    }

    [Fact]
    public void ObjectsInsideDroppedMembersAreStillNumbered()
    {
        var shared = new OldWorld.Address { City = "shared" };
        var old = new OldWorld.Holder
        {
            Gone1 = new OldWorld.OnlyOld { Inner = shared, More = [new OldWorld.OnlyOld { Inner = shared }], Flat = { Text = "t", Inner = shared } },
            Gone2 = new object[] { shared, 1, "x", new OldWorld.OnlyOld(), new Dictionary<string, OldWorld.OnlyOld> { ["k"] = new() }, new int[2, 2],
                new OldWorld.Animal[] { new OldWorld.OnlyOldCat() } },
            Gone3 = new() { ["a"] = [new OldWorld.OnlyOld { Inner = shared }] },
            Kept = new OldWorld.Address { City = "kept" },
        };
        old.Again = old.Kept;
        var copy = (NewWorld.Holder)ReadAsNew(CodecMode.Interpreted, old);
        Assert.Equal("kept", copy.Kept!.City);
        Assert.Same(copy.Kept, copy.Again);
    }

    [Fact]
    public void DroppedMembersMayHoldDeepGraphs()
    {
        var old = new OldWorld.Holder { Kept = new OldWorld.Address { City = "kept" } };
        var chain = new OldWorld.OnlyOld { Inner = old.Kept };
        for (int i = 0; i < 1000; i++)
            chain = i % 2 == 0 ? new OldWorld.OnlyOld { Next = chain } : new OldWorld.OnlyOld { More = [chain], Blobs = [[1]] };
        old.Gone1 = chain;
        old.Again = old.Kept;
        var copy = (NewWorld.Holder)ReadAsNew(CodecMode.Interpreted, old);
        Assert.Equal("kept", copy.Kept!.City);
        Assert.Same(copy.Kept, copy.Again);
    }

    [Fact]
    public void MemberOfAnotherTypeNamesTypeAndMember()
    {
        PileSchemaException e = Assert.Throws<PileSchemaException>(() => ReadAsNew(CodecMode.Interpreted, new OldWorld.Changed { Value = 5 }));
        Assert.Contains("Value", e.Message, StringComparison.Ordinal);
        Assert.Contains("Changed", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void NumberThatNoLongerFitsIsAnError() =>
        Assert.Throws<PileSerializationException>(() => ReadAsNew(CodecMode.Interpreted, new OldWorld.Narrowed { Value = 70000 }));

    [Fact]
    public void NumberThatStillFitsIsRead() =>
        Assert.Equal(700, ((NewWorld.Narrowed)ReadAsNew(CodecMode.Interpreted, new OldWorld.Narrowed { Value = 700 })).Value);

    [Fact]
    public void TypeThatIsGoneIsAnErrorWhereItIsNeeded()
    {
        PileSchemaException e = Assert.Throws<PileSchemaException>(() => ReadAsNew(CodecMode.Interpreted, new OldWorld.OnlyOld()));
        Assert.Contains("OnlyOld", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void CollectionsOfTheApplicationAndContractsChangeToo()
    {
        var old = new OldWorld.Mixed
        {
            Roster = new() { 1, 2 },
            Named = new OldWorld.NamedThing { Kept = 5, Gone = new OldWorld.Address { City = "x" }, Price = 1.5m },
            Indexed = new OldWorld.IndexedThing { First = 1, Second = "two", Third = 3 },
            Pet = new OldWorld.Cat { Lives = 9 },
            Dropped = [new OldWorld.OnlyOldRoster { Title = "t" }, new OldWorld.NamedThing(), new OldWorld.IndexedThing(), new OldWorld.Cat()],
            DroppedRoster = new() { "a" },
            DroppedNamed = new OldWorld.OnlyOldNamed { Text = "t" },
            DroppedPet = new OldWorld.Cat(),
        };
        old.Roster.Title = "title";
        old.Again = old.Roster;
        var copy = (NewWorld.Mixed)ReadAsNew(CodecMode.Interpreted, old);
        Assert.Equal([1, 2], copy.Roster!);
        Assert.Equal("title", copy.Roster!.Title);
        Assert.Equal((5, "", 1.5m), (copy.Named!.Kept, copy.Named.Added ?? "", copy.Named.Price));
        Assert.Equal((1, 3, 0), (copy.Indexed!.First, copy.Indexed.Third, copy.Indexed.Fourth));
        Assert.Equal(9, Assert.IsType<NewWorld.Cat>(copy.Pet).Lives);
        Assert.Same(copy.Roster, copy.Again);
    }

    [Fact]
    public void OldAndNewPayloadsLiveSideBySide()
    {
        var fixture = new CodecFixture();
        byte[] old = fixture.Write(new OldWorld.Narrowed { Value = 9 });
        var renamed = new CodecFixture(catalog: Rename(fixture.Catalog));
        byte[] now = renamed.Write(new NewWorld.Narrowed { Value = 8 });
        Assert.NotEqual(old[..4], now[..4]);
        Assert.Equal(9, ((NewWorld.Narrowed)renamed.Read(old)).Value);
        Assert.Equal(8, ((NewWorld.Narrowed)renamed.Read(now)).Value);
    }

    private static object ReadAsNew(CodecMode mode, object value)
    {
        var fixture = new CodecFixture();
        byte[] payload = fixture.Write(value);
        var renamed = new CodecFixture(mode, Rename(fixture.Catalog));
        return renamed.Read(payload);
    }

    private static FakeCatalog Rename(FakeCatalog catalog)
    {
        var renamed = new FakeCatalog();
        for (int id = 1; catalog.TryGet(id, out ReadOnlyMemory<byte> definition); id++)
        {
            string text = Encoding.Latin1.GetString(definition.Span).Replace("OldWorld+", "NewWorld+", StringComparison.Ordinal);
            renamed.GetOrAdd(Encoding.Latin1.GetBytes(text));
        }
        return renamed;
    }
}

#pragma warning disable CS0649 // Some members are there to be dropped.
internal static class OldWorld
{
    public sealed class Customer
    {
        public string? Name;
        public int Gone;
        public int Age;
        public float Rate;
        public Address? Home;
        public List<string>? Tags;
        public int Maybe;
        public Point Place;
        public DayOfWeek Day;
        public int[]? Numbers;
        public List<Customer>? Friends;
    }

    public sealed class Address
    {
        public string? City;
        public int Zip;
    }

    public struct Point
    {
        public int X;
        public int Y;
    }

    public sealed class OnlyOld
    {
        public Address? Inner;
        public OnlyOld? Next;
        public List<OnlyOld>? More;
        public OnlyOldFlat Flat;
        public List<byte[]>? Blobs;
        public DateTime? When;
        public decimal Price;
    }

    public class Animal
    {
        public string? Name;
    }

    public sealed class OnlyOldCat : Animal
    {
        public int Lives;
    }

    public struct OnlyOldFlat
    {
        public string? Text;
        public Address? Inner;
    }

    public sealed class Holder
    {
        public OnlyOld? Gone1;
        public object? Gone2;
        public Dictionary<string, OnlyOld[]>? Gone3;
        public OnlyOldFlat Gone4;
        public Address? Kept;
        public Address? Again;
    }

    public sealed class Changed
    {
        public int Value;
    }

    public sealed class Mixed
    {
        public object[]? Dropped;
        public OnlyOldRoster? DroppedRoster;
        public OnlyOldNamed DroppedNamed;
        public IPet? DroppedPet;
        public Roster? Roster;
        public NamedThing? Named;
        public IndexedThing? Indexed;
        public IPet? Pet;
        public object? Again;
    }

    public sealed class Roster : List<int>
    {
        public int Gone;
        public string? Title;
    }

    public sealed class OnlyOldRoster : List<string>
    {
        public string? Title;
    }

    [MessagePackObject(true)]
    public sealed class NamedThing
    {
        public Address? Gone { get; set; }

        public int Kept { get; set; }

        public decimal Price { get; set; }
    }

    [MessagePackObject(true)]
    public struct OnlyOldNamed
    {
        public string? Text { get; set; }
    }

    [MessagePackObject]
    public sealed class IndexedThing
    {
        [Key(0)]
        public int First { get; set; }

        [Key(1)]
        public string? Second { get; set; }

        [Key(4)]
        public int Third { get; set; }
    }

    [Union(0, typeof(Cat))]
    public interface IPet;

    public sealed class Cat : IPet
    {
        public int Lives;
    }

    public sealed class Narrowed
    {
        public int Value;
    }
}

internal static class NewWorld
{
    public class Animal
    {
        public string? Name;
    }

    public sealed class Customer
    {
        public DayOfWeek Day;
        public IReadOnlyList<string>? Tags;
        public string? New;
        public List<Customer>? Friends;
        public int? Maybe;
        public long Age;
        public double Rate;
        public Address? Home;
        public Point Place;
        public object? Name;
        public int[]? Numbers;
    }

    public sealed class Address
    {
        public int Zip;
        public string? City;
    }

    public struct Point
    {
        public int Z;
        public int Y;
        public long X;
    }

    public sealed class Holder
    {
        public Address? Again;
        public Address? Kept;
    }

    public sealed class Mixed
    {
        public object? Again;
        public IPet? Pet;
        public Roster? Roster;
        public NamedThing? Named;
        public IndexedThing? Indexed;
    }

    public sealed class Roster : List<int>
    {
        public string? Title;
    }

    [MessagePackObject(true)]
    public sealed class NamedThing
    {
        public string? Added { get; set; }

        public decimal Price { get; set; }

        public int Kept { get; set; }
    }

    [MessagePackObject]
    public sealed class IndexedThing
    {
        [Key(0)]
        public long First { get; set; }

        [Key(3)]
        public int Fourth { get; set; }

        [Key(4)]
        public int Third { get; set; }
    }

    [Union(0, typeof(Dog))]
    [Union(1, typeof(Cat))]
    public interface IPet;

    public sealed class Dog : IPet
    {
        public string? Name;
    }

    public sealed class Cat : IPet
    {
        public int Age;
        public int Lives;
    }

    public sealed class Changed
    {
        public string? Value;
    }

    public sealed class Narrowed
    {
        public short Value;
    }
}
