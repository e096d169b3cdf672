using System;
using System.Collections.Generic;
using System.Text;

namespace BigPile.Tests.Codec;

/// <summary>
/// Payloads of classes that have changed since: written as types of OldWorld, read as those of NewWorld, by renaming in the catalog.
/// </summary>
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
            Gone1 = new OldWorld.OnlyOld { Inner = shared, More = [new OldWorld.OnlyOld { Inner = shared }],
                Flat = { Text = "t", Inner = shared } },
            Gone2 = new object[] { shared, 1, "x", new OldWorld
                .OnlyOld(), new Dictionary<string, OldWorld.OnlyOld> { ["k"] = new() }, new int[2, 2],
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
        PileSchemaException e =
            Assert.Throws<PileSchemaException>(() => ReadAsNew(CodecMode.Interpreted, new OldWorld.Changed { Value = 5 }));
        Assert.Contains("Value", e.Message, StringComparison.Ordinal);
        Assert.Contains("Changed", e.Message, StringComparison.Ordinal);
    }

    /// <summary>The member's class was the base, and is now one that derives from it.</summary>
    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void ObjectOfTheFormerBaseClassIsAnErrorEachTime(CodecMode mode)
    {
        FakeCatalog catalog = OldPayload.Catalog(
            [OldPayload.NameOf(typeof(NewWorld.Kennel)), 0, "Guest", 1], [OldPayload.NameOf(typeof(NewWorld.Animal)), 0, "Name", "string"]);
        var fixture = new CodecFixture(mode, catalog);
        for (int i = 0; i < 3; i++)
            Assert.Throws<PileSerializationException>(() => fixture.Read(OldPayload.Of(0x91, 0x91, 0xa1, (byte)'n')));
        Assert.Null(((NewWorld.Kennel)fixture.Read(OldPayload.Of(0x91, 0xc0))).Guest);
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
            Dropped =
                [new OldWorld.OnlyOldRoster { Title = "t" }, new OldWorld.NamedThing(), new OldWorld.IndexedThing(), new OldWorld.Cat()],
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
        var fixture = new CodecFixture(options: new PileCodecOptions { MayExtendContracts = true });
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
