using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching.Metrics;
using BigPile.Durability;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>Pending frees become space for every call of a table that needs some.</summary>
public sealed class OutOfSpaceTests : StoppedCacheTest
{
    private const int LengthBytes = 2_000;
    private const long SegmentBytes = 4 << 20;
    private const string Key = "key 00001";

    private static readonly EntryOptions Options = new() { Sliding = TimeSpan.FromMinutes(1), Tags = ["tag"] };

    private static readonly Dictionary<string, Action<CacheTable<string, byte[]>, ManualTime>> Ways = new()
    {
        ["Put"] = static (table, _) => table.Put("new", new byte[LengthBytes]),
        ["PutBytes"] = static (table, time) => table.PutBytes("new", new byte[LengthBytes], out EntryInfo _),
        ["PutMany"] = static (table, _) => table.PutMany(["new"], [new byte[LengthBytes]], new PutResult[1]),
        ["Update"] = static (table, time) => Assert.True(table.Update("new", new byte[LengthBytes], 0, out EntryInfo _)),
        ["Touch with options"] = static (table, _) => Assert.True(table.Touch(Key, new EntryOptions { Priority = EntryPriority.High })),
        ["GetOrAdd"] = static (table, _) => table.GetOrAdd("new", static _ => new byte[LengthBytes]),
        ["TryGetPointer"] = static (table, _) => Assert.True(table.TryGetPointer(Key, out PilePointer _)),
        ["RemoveByTag"] = static (table, _) => table.RemoveByTag("tag"),
        ["Clear"] = static (table, _) => table.Clear(),
        ["a use that puts off an expiry"] = static (table, time) => Use(table, time, static table => Assert.True(table.ContainsKey(Key))),
        ["Touch"] = static (table, time) => Use(table, time, static table => Assert.True(table.Touch(Key))),
        ["a use in a batch"] = static (table, time) => Use(table, time, static table => Assert.NotEqual(0, table.ByUtf8().ReadMany(
            Encoding.UTF8.GetBytes(Key), [Key.Length], new System.Buffers.ArrayBufferWriter<byte>(), 1 << 20, new int[1],
            new EntryInfo[1]))),
    };

    public static TheoryData<string> AllWays => [.. Ways.Keys];

    [Theory]
    [MemberData(nameof(AllWays))]
    public void A_full_pile_has_room_once_something_was_removed(string way)
    {
        using PileCache cache = OpenFull(out CacheTable<string, byte[]> table, out int count);
        for (int i = 100; i < 400; i++)
            Assert.True(table.Remove(KeyOf(i)));
        Assert.NotEqual(0, cache.Pile.Engine.PendingFreeBytes);
        Ways[way](table, Time);
        Assert.True(count > 400);
        Assert.True(cache.Pile.Verify().IsSound);
    }

    /// <summary>The block of the evicted entry is free after a flush only, so the put begins again.</summary>
    [Fact]
    public void A_put_that_begins_again_tells_of_what_was_evicted_for_it_before()
    {
        using PileCache cache = OpenFull(out CacheTable<string, byte[]> table, out int count);
        table.Configure(TestCache.Durable() with { MaxEntries = count });
        Assert.Equal(PutResult.Overwritten, table.Put(KeyOf(count), new byte[LengthBytes], Options)); // as large as the others
        Assert.Equal((count, 1, count + 1), (table.Count, table.Statistics.Evictions, table.Statistics.Inserts));
        Assert.Equal(1, table.Core.CounterValues[(int)Counter.Overwrites]);
        table.Core.CheckInvariants();
    }

    /// <summary>A clear frees space: it must not need any that is not there.</summary>
    [Theory]
    [InlineData(true, 2_000)]
    [InlineData(false, 2_000)]
    [InlineData(true, 40)]
    [InlineData(false, 40)]
    public void A_table_that_fills_its_pile_can_be_cleared(bool isMapped, int lengthBytes)
    {
        var options = new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes };
        using Pile pile = isMapped ? Pile.Open(DirectoryPath, options) : new Pile(options);
        using var cache = new PileCache(
            pile, new PileCacheOptions { SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("full");
        int count = 0;
        Action fill = () =>
        {
            for (; count < 1_000_000; count++)
                table.Put(count, new byte[lengthBytes]);
        };
        Assert.Throws<PileFullException>(fill);
        Action fillUp = () => Array.ForEach(new byte[1_000_000], one => pile.Put([one]));
        Assert.Throws<PileFullException>(fillUp); // not even a mark fits
        pile.Flush();
        table.Clear();
        Assert.Equal(0, table.Count);
        Assert.False(table.ContainsKey(count - 1));
        for (int i = 0; i < count / 2; i++)
            table.Put(i, new byte[lengthBytes]);
        Assert.Equal(count / 2, table.Count);
        Assert.True(pile.Verify().IsSound);
    }

    /// <summary>An owned object that was flushed as a link needs a shadow header when its entry is removed.</summary>
    [Fact]
    public async Task Entries_go_though_the_table_of_moved_blocks_is_full()
    {
        bool fails = false;
        using PileCache cache = new(
            Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = 64 << 20, Syncing = path => Refuse(fails, path) }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable });
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        PilePointer[] pointers =
            [.. Enumerable.Range(0, ShadowHeaderTable.Capacity).Select(i => cache.Pile.Put(BitConverter.GetBytes(i)))];
        for (int i = 0; i < 200; i++)
        {
            PilePointer owned = cache.Pile.Put(new byte[1]);
            cache.Pile.Replace(owned, new byte[100]);
            table.PutPointer(KeyOf(i), owned);
        }
        cache.Pile.Flush();
        fails = true;
        Exception? full = Record.Exception(() => Array.ForEach(pointers, pointer => cache.Pile.Replace(pointer, new byte[8])));
        long? before = cache.Pile.Statistics.ObjectCount;
        Exception? failure = Record.Exception(() =>
        {
            for (int i = 0; i < 100; i++)
                Assert.True(table.Remove(KeyOf(i)));
            for (int i = 100; i < 200; i++)
                table.Put(KeyOf(i), [1]);
        });
        long? after = cache.Pile.Statistics.ObjectCount;
        fails = false;
        Assert.IsType<PileFullException>(full);
        Assert.Null(failure);
        Assert.Equal(before - 300, after);
        Assert.Equal(100, table.Count);
        await cache.Pile.FlushAsync();
        Assert.Equal(0, cache.Pile.Blocks.ShadowHeaders.Count);
        Assert.True(cache.Pile.Verify().IsSound);
    }

    /// <summary>Once even the reserve of shadow headers is used, an entry that needs one stays whole, and goes after a flush.</summary>
    [Fact]
    public void An_entry_that_cannot_go_stays_whole()
    {
        const int Keys = 300;
        bool fails = false;
        using PileCache cache = new(
            Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = 64 << 20, Syncing = path => Refuse(fails, path) }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable });
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        PilePointer[] pointers = [.. Enumerable.Range(0, ShadowHeaderTable.Capacity).Select(_ => LinkedObject(cache.Pile))];
        for (int i = 0; i < Keys; i++)
            table.PutPointer(KeyOf(i), LinkedObject(cache.Pile));
        cache.Pile.Flush();
        fails = true;
        int deleted = 0;
        using (cache.Pile.Blocks.EnterWriter()) // as frees under a table's locks, which use the reserve
        {
            for (; !cache.Pile.Blocks.ShadowHeaders.IsExhausted; deleted++)
                Assert.True(cache.Pile.Tables.TryDeleteObject(pointers[deleted]));
        }
        Exception?[] refusals =
        [
            Record.Exception(() => table.Remove(KeyOf(0))),
            Record.Exception(() => table.Put(KeyOf(1), [1])),
            Record.Exception(() => table.Clear()),
        ];
        fails = false;
        Assert.All(refusals, static refusal => Assert.IsType<PileFullException>(refusal));
        table.Core.CheckInvariantsAt("after the refusals");
        cache.Pile.Flush();
        table.Clear();
        table.Core.CheckInvariantsAt("at the end");
        cache.Pile.Flush();
        Assert.Equal(pointers.Length - deleted, cache.Pile.Statistics.ObjectCount);
        Assert.True(cache.Pile.Verify().IsSound);
    }

    private static PilePointer LinkedObject(Pile pile)
    {
        PilePointer pointer = pile.Put(new byte[1]);
        pile.Replace(pointer, new byte[100]);
        return pointer;
    }

    private PileCache OpenFull(out CacheTable<string, byte[]> table, out int count)
    {
        var cache = new PileCache(
            Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = 2 * SegmentBytes }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, TimeProvider = Time,
                DefaultTableOptions = TestCache.AllDurable });
        CacheTable<string, byte[]> filled = cache.GetOrCreateTable<string, byte[]>("t");
        int put = 0;
        Action fill = () =>
        {
            for (; put < 100_000; put++)
                filled.Put(KeyOf(put), new byte[LengthBytes], Options);
        };
        Assert.Throws<PileFullException>(fill);
        for (int i = 0; i < 3_000; i++)
        {
            try
            {
                cache.Pile.Put(new byte[8]); // a tag mark does not fit either
            }
            catch (PileFullException)
            {
                break;
            }
        }
        cache.Pile.Flush();
        table = filled;
        count = put;
        return cache;
    }

    private static void Use(CacheTable<string, byte[]> table, ManualTime time, Action<CacheTable<string, byte[]>> use)
    {
        time.Advance(TimeSpan.FromSeconds(50));
        use(table);
        time.Advance(TimeSpan.FromSeconds(50));
        Assert.True(table.ContainsKey(Key));
    }

    private static void Refuse(bool fails, string path)
    {
        if (fails && !Path.GetFileName(path).StartsWith("superblock", StringComparison.Ordinal)) // versions are reserved there
            throw new IOException($"'{Path.GetFileName(path)}' is refused");
    }

    private static string KeyOf(int number) => $"key {number:d5}";
}
