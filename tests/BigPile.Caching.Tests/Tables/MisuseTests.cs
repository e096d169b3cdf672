using System;
using System.Buffers;
using System.Collections.Generic;

namespace BigPile.Caching.Tests.Tables;

/// <summary>What is called wrongly is told so: by the argument that is missing, or by what is closed.</summary>
public sealed class MisuseTests
{
    [Fact]
    public void A_null_argument_is_named()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        table.Put("a", [1]);
        (string Name, Action Call)[] calls =
        [
            ("name", () => cache.ContainsTable(null!)),
            ("name", () => cache.ContainsTableOfOtherKeys<string>(null!)),
            ("name", () => cache.Hide(null!)),
            ("name", () => cache.Hide(null!, isHidden: false)),
            ("name", () => cache.GetStatistics(null!)),
            ("name", () => cache.DropTable(null!)),
            ("name", () => cache.TryGetTable<string, byte[]>(null!, out _)),
            ("name", () => cache.GetOrCreateTable<string, byte[]>((string)null!)),
            ("options", () => cache.GetOrCreateTable<string, byte[]>((TableOptions)null!)),
            ("options", () => cache.GetOrCreateTable<string, byte[]>(new TableOptions(null!))),
            ("options", () => cache.DefaultTableOptions = null!),
            ("key", () => table.Put(null!, [])),
            ("key", () => table.TryGet(null!, out _)),
            ("key", () => table.Remove(null!)),
            ("key", () => table.GetOrAdd(null!, static _ => [])),
            ("destination", () => table.TryGet("a", (IBufferWriter<byte>)null!)),
            ("destination", () => table.TryGet("none", (IBufferWriter<byte>)null!)),
            ("destination", () => table.TryRead("none", (IBufferWriter<byte>)null!, out _)),
            ("destination", () => table.ReadMany([], null!, [])),
            ("destination", () => table.ByText().TryRead("none", null!, out _)),
            ("destination", () => table.ByText().Read("none", null!, 1, false, out _)),
            ("found", () => table.Walk(0, null!)),
            ("tag", () => table.RemoveByTag(null!)),
            ("options", () => table.Configure(null!)),
            ("options", () => table.Touch("a", null!)),
            ("listener", () => table.EntriesRemoved += null!),
            ("listener", () => table.EntriesRemoved -= null!),
            ("table", () => _ = ((CacheTable<string, byte[]>)null!).ByUtf8()),
            ("table", () => _ = ((CacheTable<string, byte[]>)null!).ByText()),
            ("table", () => ((CacheTable<string, byte[]>)null!).StoredEntries()),
            ("table", () => _ = new SharedRun<int>(null!, "k")),
            ("key", () => _ = new SharedRun<int>(table, null!)),
        ];
        var wrong = new List<string>();
        for (int i = 0; i < calls.Length; i++)
        {
            Exception? told = Record.Exception(calls[i].Call);
            if (told is not ArgumentException argument || argument.ParamName != calls[i].Name)
                wrong.Add($"call {i} ({calls[i].Name}): {told?.GetType().Name} {told?.Message}");
        }
        Assert.True(wrong.Count == 0, string.Join(Environment.NewLine, wrong));
    }

    [Theory]
    [InlineData(true, StoreKind.Native)]
    [InlineData(false, StoreKind.Native)]
    [InlineData(true, StoreKind.Managed)]
    [InlineData(false, StoreKind.Managed)]
    public void A_closed_pile_is_told_of(bool ownsPile, StoreKind store)
    {
        var pile = new Pile(new PileOptions { Store = store, SegmentBytes = 16 << 20 });
        var cache = new PileCache(pile, ownsPile);
        CacheTable<string, object> table = cache.GetOrCreateTable<string, object>("t");
        table.Put("a", new Version(1, 2));
        cache.Dispose();
        pile.Dispose();
        Action[] calls =
        [
            () => cache.GetOrCreateTable<string, object>("t"),
            () => cache.GetOrCreateTable<string, object>("new"),
            () => cache.TryGetTable<string, object>("t", out _),
            () => cache.TryGetTable<string, string>("t", out _),
            () => cache.DropTable("t"),
            () => cache.GetStatistics("t"),
            () => table.Put("a", new Version(1, 3)),
            () => table.Put("a", new Uri("http://a")),
            () => table.PutBytes("a", [1], out _),
            () => table.PutPointer("a", default),
            () => table.TryGet("a", out _),
            () => table.TryGetInfo("a", out _),
            () => table.TryGetEntry("a", out _),
            () => table.TryGetPointer("a", out _),
            () => table.TryLease("a", out _, out _),
            () => table.Remove("a"),
            () => table.Touch("a"),
            () => table.Touch("a", new EntryOptions()),
            () => table.GetOrAdd("a", static _ => 1),
            () => table.GetMany(["a"], new object?[1], new bool[1]),
            () => table.RemoveMany(["a"]),
            () => table.RemoveByTag("tag"),
            () => table.Clear(),
            () => table.Sweep(),
            () => table.Walk(0, []),
            () => table.Configure(table.Options with { MaxEntries = 5 }),
            () => { foreach (string _ in table.Keys) { } },
            () => { foreach (StoredEntry _ in table.StoredEntries()) { } },
            () => table.ByText().TryPeek("a", out _),
            () => table.ByText().TryPeek("a", out _, out _),
        ];
        var wrong = new List<string>();
        for (int i = 0; i < calls.Length; i++)
        {
            Exception? told = Record.Exception(calls[i]);
            if (told is not ObjectDisposedException)
                wrong.Add($"call {i}: {told?.ToString() ?? "nothing"}");
        }
        Assert.True(wrong.Count == 0, string.Join(Environment.NewLine, wrong));
        // What needs no memory of the pile says what it is and was.
        Assert.Equal("t", table.Name);
        Assert.Equal(1, table.Count);
        Assert.Equal(["t"], cache.TableNames);
    }

    [Fact]
    public void The_codec_of_a_closed_pile_serializes_or_tells()
    {
        using var directory = new TemporaryDirectory();
        foreach (Pile pile in new[] { new Pile(new PileOptions { SegmentBytes = 16 << 20 }), Pile.Open(directory.Path) })
        {
            IPileCodec codec = pile.Encoding.Codec;
            codec.Serialize(new Version(1, 2), new PileBuffer());
            pile.Dispose();
            codec.Serialize(new Version(1, 3), new PileBuffer()); // of a known type
            Exception? told = Record.Exception(() => codec.Serialize(new Uri("http://a"), new PileBuffer()));
            Assert.True(told is null or ObjectDisposedException, told?.ToString());
        }
    }

    [Fact]
    public void A_lookup_of_no_table_is_told_of()
    {
        Action[] calls =
        [
            static () => default(AlternateLookup<ReadOnlySpan<byte>, string>).TryGet("a"u8, out _),
            static () => default(AlternateLookup<ReadOnlySpan<byte>, string>).TryPeek("a"u8, out _),
            static () => default(AlternateLookup<ReadOnlySpan<char>, string>).Put("a", "b"),
            static () => default(AlternateLookup<ReadOnlySpan<char>, string>).Remove("a"),
            static () => default(AlternateLookup<ReadOnlySpan<char>, string>).Touch("a"),
            static () => default(AlternateLookup<ReadOnlySpan<char>, string>).TryLease("a", out _, out _),
        ];
        foreach (Action call in calls)
            Assert.Contains("GetAlternateLookup", Assert.Throws<InvalidOperationException>(call).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_peek_that_gets_no_lease_gives_no_entry()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, object> table = cache.GetOrCreateTable<string, object>("t");
        PilePointer gone = cache.Pile.Put(new Version(1, 2));
        table.PutPointer("gone", gone);
        cache.Pile.Delete(gone);
        Assert.False(table.ByText().TryPeek("gone", out StoredEntry entry, out PileLease? lease));
        Assert.Null(lease);
        Assert.Equal(default, entry);
    }
}
