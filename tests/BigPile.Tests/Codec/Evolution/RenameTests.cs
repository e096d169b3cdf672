using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Codec;

/// <summary>Types and members that were renamed since they were stored, and callbacks after reading.</summary>
public sealed class RenameTests
{
    private static string Name<T>() => OldPayload.NameOf(typeof(T));

    private static string Former(string name) => Name<RenameTests>() + "+" + name;

    [Fact]
    public void RenamedTypeAndMembersAreFoundByTheirAttributes()
    {
        FakeCatalog catalog = OldPayload.Catalog([Former("OldOrder"), 0, "_number", "int32", "Text", "string", "Kept", "int32"]);
        var order = (NewOrder)new CodecFixture(catalog: catalog).Read(OldPayload.Of(0x93, 7, 0xa1, (byte)'t', 9));
        Assert.Equal((7, "t", 9), (order.Number, order.Title, order.Kept));
    }

    /// <summary>The compiler calls the field of such a parameter <c>&lt;name&gt;P</c>.</summary>
    [Fact]
    public void RenamedParameterOfAPrimaryConstructorIsFound()
    {
        FakeCatalog Old(Type type, string name) => OldPayload.Catalog([OldPayload.NameOf(type), 0, name, "string"]);
        byte[] payload = OldPayload.Of(0x91, 0xa1, (byte)'t');
        Assert.Equal("t", ((Captured)new CodecFixture(catalog: Old(typeof(Captured), "<old>P")).Read(payload)).Title);
        Assert.Equal("t", ((Captured)new CodecFixture(catalog: Old(typeof(Captured), "_old")).Read(payload)).Title);
        Assert.Equal("t", ((Captured)new CodecFixture(catalog: Old(typeof(Captured), "<title>P")).Read(payload)).Title);
        Assert.Equal("t", ((Uncaptured)new CodecFixture(catalog: Old(typeof(Uncaptured), "<old>P")).Read(payload)).Title);
        PileCodecOptions options = new PileCodecOptions().Rename(typeof(Captured), "was", "title");
        Assert.Equal("t", ((Captured)new CodecFixture(catalog: Old(typeof(Captured), "<was>P"), options: options).Read(payload)).Title);
        Assert.Null(((Captured)new CodecFixture(catalog: Old(typeof(Captured), "<was>P")).Read(payload)).Title);
        Assert.Equal("new", new CodecFixture().RoundTrip(new Captured("new")).Title);
    }

    /// <summary>Where the attribute stands without saying what it is for.</summary>
    [Fact]
    public void RenamedParameterOfARecordIsFound()
    {
        byte[] payload = OldPayload.Of(0x92, 0xa1, (byte)'t', 5);
        foreach (Type type in (Type[])[typeof(Positional), typeof(PositionalField), typeof(PositionalProperty)])
        {
            FakeCatalog catalog = OldPayload.Catalog([OldPayload.NameOf(type), 0, "A", "string", "B", "int32"]);
            object read = new CodecFixture(catalog: catalog).Read(payload);
            Assert.Equal(("t", 5), ((string)type.GetProperty("Name")!.GetValue(read)!, (int)type.GetProperty("B")!.GetValue(read)!));
        }
    }

    [Fact]
    public void RenamedTypeIsFoundInsideOthers()
    {
        FakeCatalog catalog = OldPayload.Catalog(
            [$"System.Collections.Generic.List`1{{{Former("OldOrder")}}}", 4, "item", 1],
            [Former("OldOrder"), 0, "_number", "int32"]);
        var orders = (List<NewOrder>)new CodecFixture(catalog: catalog).Read(OldPayload.Of(0x91, 0x91, 5));
        Assert.Equal(5, orders.Single().Number);
    }

    [Fact]
    public void RenamedTypeAndMembersAreFoundByTheOptions()
    {
        FakeCatalog catalog = OldPayload.Catalog(["Elsewhere/Shop.Gone", 0, "Was", "int32"]);
        PileCodecOptions options = new PileCodecOptions().Rename("Shop.Gone", typeof(Plain)).Rename(typeof(Plain), "Was", nameof(Plain.Is));
        Assert.Equal(6, ((Plain)new CodecFixture(catalog: catalog, options: options).Read(OldPayload.Of(0x91, 6))).Is);
        PileSchemaException e = Assert.Throws<PileSchemaException>(() => new CodecFixture(catalog: catalog).Read(OldPayload.Of(0x91, 6)));
        Assert.Contains("FormerName", e.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => options.Rename(typeof(Plain), "a", "Missing"));
    }

    [Fact]
    public void MemberWithTheStoredNameIsTakenBeforeOneThatHadIt()
    {
        FakeCatalog catalog = OldPayload.Catalog([Name<Both>(), 0, "First", "int32", "Second", "int32"]);
        var both = (Both)new CodecFixture(catalog: catalog).Read(OldPayload.Of(0x92, 1, 2));
        Assert.Equal((1, 2), (both.First, both.Second));
    }

    [Fact]
    public void PrivateFieldsOfOneNameOverThreeLevelsOfOneSimpleNameAreKept()
    {
        var fixture = new CodecFixture();
        var value = new Level.Inner.Level(1, 2, 3);
        Assert.Equal((1, 2, 3), fixture.RoundTrip(value).All());
        FakeCatalog old = OldPayload.Catalog([Name<Level.Inner.Level>(), 0, "Level._x", "int32", "Level._x", "int32", "_x", "int32"]);
        Assert.Equal((1, 2, 3), ((Level.Inner.Level)new CodecFixture(catalog: old).Read(OldPayload.Of(0x93, 1, 2, 3))).All());
    }

    [Fact]
    public void HookRunsWhenTheWholeGraphIsThere()
    {
        var hooked = new Hooked { Name = "outer", Next = new Hooked { Name = "inner" }, Many = { ["k"] = 1 } };
        Hooked copy = new CodecFixture().RoundTrip(hooked);
        Assert.Equal(("outer:1", "inner:0"), (copy.Computed, copy.Next!.Computed));
        Assert.Equal(2, new CodecFixture().RoundTrip(new HookedList { 1, 2 }).Seen);
        PileSerializationException e =
            Assert.Throws<PileSerializationException>(() => new CodecFixture().Write(new HookedStruct { X = 1 }));
        Assert.Contains("class", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void InitializersOfNewMembersRunWhenAskedFor()
    {
        FakeCatalog catalog = OldPayload.Catalog([Name<Grown>(), 0, "Old", "int32"]);
        var initialized = (Grown)new CodecFixture(
            catalog: catalog, options: new PileCodecOptions { InitializeNewMembers = true }).Read(OldPayload.Of(0x91, 4));
        Assert.Equal((4, "new"), (initialized.Old, initialized.New));
        Assert.Empty(initialized.List!);
        var bare = (Grown)new CodecFixture(catalog: catalog).Read(OldPayload.Of(0x91, 4));
        Assert.Equal((4, null), (bare.Old, bare.New));
        var same = new CodecFixture(options: new PileCodecOptions { InitializeNewMembers = true });
        Assert.Null(((Grown)same.Read(same.Write(new Grown { New = null }))).New);
    }

    [FormerName("OldOrder")]
    private sealed class NewOrder
    {
        [FormerName("_number")]
        public int Number { get; set; }

        [FormerName("Name"), FormerName("Text")]
        public string? Title = null;

        public int Kept = 0;
    }

    private sealed class Plain
    {
        public int Is { get; set; }
    }

    private sealed class Both
    {
        public int First = 0;

        [FormerName("First")]
        public int Second = 0;
    }

    private sealed class Hooked : IPileReadCallback
    {
        public string? Name;
        public Hooked? Next;
        public Dictionary<string, int> Many = [];

        [NonSerialized]
        public string? Computed;

        public void OnRead() => Computed = $"{Name}:{Many.Count}";
    }

    private sealed class HookedList : List<int>, IPileReadCallback
    {
        [NonSerialized]
        public int Seen;

        public void OnRead() => Seen = Count;
    }

    private struct HookedStruct : IPileReadCallback
    {
        public int X;

        public readonly void OnRead()
        {
        }
    }

    private sealed class Grown
    {
        public int Old = 1;
        public string? New = "new";
        public List<int>? List = [];
    }

    private class Level(int x)
    {
        private readonly int _x = x;

        protected int First => _x;

        internal static class Middle
        {
            internal class Level(int x, int y) : RenameTests.Level(x)
            {
                private new readonly int _x = y;

                protected int Second => _x;
            }
        }

        internal static class Inner
        {
            internal sealed class Level(int x, int y, int z) : Middle.Level(x, y)
            {
                private new readonly int _x = z;

                public (int, int, int) All() => (First, Second, _x);
            }
        }
    }

    private sealed record Positional([FormerName("A")] string Name, int B);

    private sealed record PositionalField([field: FormerName("A")] string Name, int B);

    private sealed record PositionalProperty([property: FormerName("A")] string Name, int B);

    private sealed class Captured([FormerName("old"), FormerName("_old")] string? title)
    {
        internal string? Title => title;
    }

    private sealed class Uncaptured
    {
        [FormerName("old")]
        internal string? Title { get; set; }
    }
}
