using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Entries;
using BigPile.Caching.Typed;

namespace BigPile.Caching.Tests.Rebuild;

/// <summary>What tables show of the time before a kill while the walk has not seen all: nothing, since any of it may be outdated.</summary>
public sealed class NotReadyTests : StoppedCacheTest
{
    private const string Key = "key";

    /// <summary>What made an entry outdated before the kill, and lies in a block that the walk sees later.</summary>
    public enum Since
    {
        RemovalByTag,
        Clear,
        Replacement,
    }

    private delegate bool Read(CacheTable<string, byte[]> table);

    private static Dictionary<string, Read> Reads => new()
    {
        ["Get"] = static table => Try(() => table.Get(Key)),
        ["Get, not older"] = static table => Try(() => table.Get(Key, TimeSpan.FromDays(10_000))),
        ["TryGet"] = static table => table.TryGet(Key, out byte[]? _),
        ["TryGet, entry"] = static table => table.TryGet(Key, out byte[]? _, out _),
        ["TryGet, not older"] = static table => table.TryGet(Key, TimeSpan.FromDays(10_000), out _),
        ["TryGet, writer"] = static table => table.TryGet(Key, new ArrayBufferWriter<byte>()),
        ["TryGet, characters"] = static table => table.ByText().TryGet(Key.AsSpan(), out byte[]? _),
        ["TryGetToMake"] = static table => table.Typed.TryGetToMake(Key, isAgain: true, out _, out _),
        ["TryGetStale"] = static table => table.Typed.TryGetStale(Key, out _, out _),
        ["TryRead, writer"] = static table => table.TryRead(Key, new ArrayBufferWriter<byte>(), out _),
        ["TryRead, room"] = static table => table.TryRead(Key, new byte[8], out _),
        ["TryGetInfo"] = static table => table.TryGetInfo(Key, out _),
        ["TryGetEntry"] = static table => table.TryGetEntry(Key, out _),
        ["ContainsKey"] = static table => table.ContainsKey(Key),
        ["ContainsKey, characters"] = static table => table.ByText().ContainsKey(Key.AsSpan()),
        ["TryLease"] = static table => IsLeased(table),
        ["Keys"] = static table => table.Keys.Contains(Key),
        ["Entries"] = static table => table.Entries.Any(),
        ["GetMany"] = static table => table.GetMany([Key], new byte[]?[1], new bool[1]) == 1,
        ["ReadMany"] = static table => table.ReadMany([Key], new ArrayBufferWriter<byte>(), new int[1]) == 1,
        ["TryReadUtf8"] = static table => table.ByUtf8().TryRead("key"u8, new ArrayBufferWriter<byte>(), out _),
        ["TryReadStartUtf8"] = static table => table.ByUtf8().TryReadStart("key"u8, new byte[1], out _, out _),
        ["TryGetInfoUtf8"] = static table => table.ByUtf8().TryGetInfo("key"u8, out _),
        ["TryLookUtf8"] = static table => table.ByUtf8().TryPeek("key"u8, out _),
        ["ReadManyUtf8"] = static table => IsInMany(table),
        ["Touch"] = static table => table.Touch(Key),
        ["TryGetPointer"] = static table => table.TryGetPointer(Key, out _),
        ["TryReadPointer"] = static table => table.Core.Peek.TryReadPointer(table.KeyCodec.ProbeUtf8("key"u8, new byte[16]), out _, out _),
        ["Touch, options"] = static table => table.Touch(Key, new EntryOptions()),
    };

    [Theory]
    [InlineData(Since.RemovalByTag)]
    [InlineData(Since.Clear)]
    [InlineData(Since.Replacement)]
    public void What_the_walk_has_found_is_shown_by_no_read_before_it_is_over(Since since)
    {
        using Pile pile = OpenKilled(since);
        using var built = new HalfBuilt(pile, Time);
        CacheTable<string, byte[]> table = built.Cover<string>();
        ulong[] found = built.FindByVersion();
        Assert.Equal(2, found.Length);
        built.AddFound(found[0]);
        Assert.Equal(1, built.Count);
        Assert.Empty(Showing(table));
        built.AddFound(found[1]);
        Assert.Empty(Showing(table));
        built.End();
        Assert.Equal(since == Since.Replacement ? Reads.Keys : [], Showing(table));
        Assert.Equal(since == Since.Replacement, table.TryGet(Key, out byte[]? value));
        Assert.True(value == null || value.SequenceEqual(new byte[] { 2 }));
    }

    [Theory]
    [InlineData(Since.RemovalByTag)]
    [InlineData(Since.Clear)]
    [InlineData(Since.Replacement)]
    public void What_was_put_since_the_opening_is_shown_at_once(Since since)
    {
        using Pile pile = OpenKilled(since);
        using var built = new HalfBuilt(pile, Time);
        CacheTable<string, byte[]> table = built.Cover<string>();
        ulong[] found = built.FindByVersion();
        built.AddFound(found[0]);
        table.Put(Key, [3]);
        Assert.Equal(Reads.Keys, Showing(table));
        built.AddFound(found[1]);
        Assert.Equal([3], table.Get(Key));
        built.End();
        Assert.Equal(Reads.Keys, Showing(table));
        Assert.Equal([3], table.Get(Key));
        Assert.Equal(1, built.Count);
    }

    [Theory]
    [InlineData(Since.RemovalByTag)]
    [InlineData(Since.Clear)]
    [InlineData(Since.Replacement)]
    public async Task A_factory_runs_for_what_is_not_shown_and_its_value_wins(Since since)
    {
        using Pile pile = OpenKilled(since);
        using var built = new HalfBuilt(pile, Time);
        CacheTable<string, byte[]> table = built.Cover<string>();
        ulong[] found = built.FindByVersion();
        built.AddFound(found[0]);
        byte[] made = table.GetOrAdd(Key, _ =>
        {
            built.AddFound(found[1]); // what the walk finds meanwhile is older
            return [4];
        });
        Assert.Equal([4], made);
        Assert.Equal([4], table.Get(Key));
        Assert.Equal([4], await table.GetOrAddAsync(Key, static (_, _) => throw new InvalidOperationException("It is there.")));
        built.End();
        Assert.Equal([4], table.Get(Key));
        Assert.Equal(1, built.Count);
    }

    [Fact]
    public void Conditional_changes_concern_what_the_walk_has_found()
    {
        using Pile pile = OpenKilled(Since.Replacement);
        using var built = new HalfBuilt(pile, Time);
        CacheTable<string, byte[]> table = built.Cover<string>();
        ulong[] found = built.FindByVersion();
        Assert.True(table.Update(Key, [5], version: 0, out EntryInfo info));
        Assert.True(table.Remove(Key, info.Version));
        built.AddFound(found[0]);
        built.AddFound(found[1]);
        Assert.False(table.ContainsKey(Key));
        Assert.False(table.Remove(Key));
        built.End();
        Assert.False(table.ContainsKey(Key));
        Assert.Equal((0, 0), (built.Count, pile.Statistics.ObjectCount));
    }

    [Fact]
    public void What_is_found_and_not_shown_is_not_inserted_over_and_is_changed_by_its_version()
    {
        using Pile pile = OpenKilled(Since.Replacement);
        using var built = new HalfBuilt(pile, Time);
        CacheTable<string, byte[]> table = built.Cover<string>();
        ulong[] found = built.FindByVersion();
        built.AddFound(found[1]);
        Assert.False(table.ContainsKey(Key));
        Assert.False(table.Update(Key, [6], version: 0, out _));
        Assert.True(table.Update(Key, [7], _putVersion, out _));
        Assert.Equal([7], table.Get(Key));
        built.AddFound(found[0]);
        built.End();
        Assert.Equal([7], table.Get(Key));
        Assert.True(table.Remove(Key));
        Assert.Equal(0, pile.Statistics.ObjectCount);
    }

    private ulong _putVersion;

    // One block that is outdated, and a second one of a higher version that tells so.
    private Pile OpenKilled(Since since) =>
        Pile.Open(
            KillWithoutIndexes(cache => Leave(cache.GetOrCreateTable<string, byte[]>("t"), since)),
            new PileOptions { SegmentBytes = 4 << 20 });

    private void Leave(CacheTable<string, byte[]> table, Since since)
    {
        table.Put(Key, [2], new EntryOptions { Tags = since == Since.RemovalByTag ? ["tag"] : null }, out EntryInfo info);
        _putVersion = info.Version;
        if (since == Since.RemovalByTag)
            table.RemoveByTag("tag");
        else if (since == Since.Clear)
            table.Core.TagRemoval.TryMarkAll(out _); // what a kill leaves that comes before the entries are freed
        else
            PutBlock(table.Core, "key"u8.ToArray(), version: 1, ValueKind.Bytes, [1]);
    }

    private static string[] Showing(CacheTable<string, byte[]> table) =>
        [.. Reads.Where(read => read.Value(table)).Select(static read => read.Key)];

    private static bool Try(Action read)
    {
        try
        {
            read();
            return true;
        }
        catch (KeyNotFoundException)
        {
            return false;
        }
    }

    private static bool IsLeased(CacheTable<string, byte[]> table)
    {
        bool found = table.TryLease(Key, out PileLease? lease, out _);
        lease?.Dispose();
        return found;
    }

    private static bool IsInMany(CacheTable<string, byte[]> table)
    {
        var lengths = new int[1];
        table.ByUtf8().ReadMany("key"u8, [3], new ArrayBufferWriter<byte>(), long.MaxValue, lengths, new EntryInfo[1]);
        return lengths[0] != ValueCopy.Missing;
    }
}
