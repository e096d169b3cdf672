using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Entries;
using BigPile.Catalog;

namespace BigPile.Caching.Tests.Tables;

/// <summary>A dropped table leaves nothing behind, and the next table with its id finds none of its entries.</summary>
public sealed class DropTableTests : StoppedCacheTest
{
    [Fact]
    public void Everything_is_given_back()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> stays = cache.GetOrCreateTable<string, string>("stays");
        stays.Put("k", "v");
        (long? objects, long bytes) = (cache.Pile.Statistics.ObjectCount, cache.Pile.Statistics.PayloadBytes);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(TestCache.Durable() with { MaxEntries = 10_000 });
        for (int i = 0; i < 5_000; i++)
            table.Put($"k{i}", new string('x', i % 300), i % 10 == 0 ? new EntryOptions { Tags = ["tag"] } : null);
        table.RemoveByTag("tag");
        PilePointer owned = cache.Pile.Put("owned");
        table.PutPointer("owned", owned);

        Assert.True(cache.DropTable("t"));
        Assert.False(cache.DropTable("t"));
        Assert.Equal((objects, bytes), (cache.Pile.Statistics.ObjectCount, cache.Pile.Statistics.PayloadBytes));
        Assert.False(cache.Pile.TryGet(owned, out string? _));
        Assert.Equal(["stays"], cache.TableNames);
        Assert.False(cache.TryGetTable("t", out CacheTable<string, string>? _));
        Assert.Throws<KeyNotFoundException>(() => cache.GetStatistics("t"));
        foreach (Action use in new Action[] { () => table.Put("a", "b"), () => table.TryGet("a", out _), () => table.Clear(), () =>
            table.Configure(table.Options) })
            Assert.Contains("'t'", Assert.ThrowsAny<ObjectDisposedException>(use).Message, StringComparison.Ordinal);
        Assert.Equal("v", stays.Get("k"));
    }

    [Fact]
    public void The_statistics_of_a_table_that_is_gone_say_what_it_did_and_hold_nothing_that_is_freed()
    {
        PileCache cache = TestCache.Make();
        CacheTable<string, string> dropped = cache.GetOrCreateTable<string, string>(TestCache.Durable("d") with { MaxEntries = 10 });
        CacheTable<string, string> closed = cache.GetOrCreateTable<string, string>(TestCache.Durable("c") with { MaxEntries = 10 });
        dropped.Put("k", "v");
        closed.Put("k", "v");
        TableStatistics before = closed.Statistics;
        Assert.True(cache.DropTable("d"));
        Assert.Equal((0, 0, 1), (dropped.Count, dropped.Statistics.TotalBytes, dropped.Statistics.Puts));
        cache.Dispose();
        Assert.Equal(before, closed.Statistics);
    }

    [LongFact("It makes 66,000 tables.")]
    public void Names_and_ids_are_never_used_up()
    {
        using PileCache cache = TestCache.Make();
        for (int i = 0; i < EntryHead.MaxTableId + 1_000; i++)
        {
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>($"t{i}");
            if (i % 1_000 == 0)
                table.Put(i, "v");
            Assert.Equal(i % 1_000 == 0 ? 1 : 0, table.Count);
            Assert.True(cache.DropTable($"t{i}"));
        }
        Assert.Equal(1, cache.Pile.Engine.Catalog.Count(CatalogKind.Table));
        Assert.Equal(0, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_table_of_the_same_name_is_another_one_also_with_other_keys()
    {
        using PileCache cache = TestCache.Make();
        cache.GetOrCreateTable<string, string>("t").Put("k", "old");
        Assert.True(cache.DropTable("t"));
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal(0, table.Count);
        Assert.Equal(TestCache.AllDurable with { Name = "t" }, table.Options);
        table.Put(1, [2]);
        Assert.Equal([2], table.Get(1));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void After_a_restart_each_table_has_what_is_its_own(bool isKilled)
    {
        void Work(PileCache cache)
        {
            cache.GetOrCreateTable<string, string>("gone").Put("k", "gone");
            cache.GetOrCreateTable<string, string>("stays").Put("k", "stays");
            cache.GetOrCreateTable<string, string>("again").Put("k", "old");
            Assert.True(cache.DropTable("gone"));
            cache.GetOrCreateTable<long, string>("next").Put(1, "next"); // has the id of the one before
            Assert.True(cache.DropTable("again"));
            cache.GetOrCreateTable<string, string>("again").Put("l", "new");
            cache.GetOrCreateTable<string, string>("last").Put("k", "last");
            Assert.True(cache.DropTable("last"));
        }

        using PileCache cache = TestCache.Open(isKilled ? Kill(Work) : Stop(Work), Time);
        Assert.True(cache.Readiness.WasRestored);
        Assert.Equal(["again", "next", "stays"], cache.TableNames);
        Assert.Equal("next", cache.GetOrCreateTable<long, string>("next").Get(1));
        Assert.Equal([("l", "new")], All(cache, "again"));
        Assert.Equal([("k", "stays")], All(cache, "stays"));
        Assert.Equal(3, cache.Pile.Statistics.ObjectCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Blocks_that_a_kill_or_a_power_cut_left_are_freed_and_are_nobodys(bool isTaken)
    {
        string killed = KillWithoutIndexes(cache =>
        {
            cache.GetOrCreateTable<long, byte[]>("t").Put(1, [1]);
            ulong version = cache.Pile.Engine.Versions.Next(0);
            Assert.True(cache.DropTable("t"));
            if (isTaken)
                cache.GetOrCreateTable<long, byte[]>("t").Put(2, [2]);
            else
                cache.GetOrCreateTable<long, byte[]>("t"); // for the id, which the next line frees again
            PutBlock(cache, 3, version, ValueKind.Bytes, [3]);
            PutBlock(cache, 4, version, ValueKind.TagMark, []);
            if (!isTaken)
                DropWithoutBlocks(cache);
        });
        using PileCache cache = TestCache.Open(killed, Time);
        Assert.Equal(isTaken ? ["t"] : [], cache.TableNames);
        Assert.Equal(isTaken ? 1 : 0, cache.Pile.Statistics.ObjectCount);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal(isTaken ? [2L] : [], table.Keys);
    }

    [Fact]
    public async Task Calls_beside_a_drop_end_well_or_are_told()
    {
        using PileCache cache = TestCache.Make();
        using var stop = new CancellationTokenSource();
        CacheTable<long, string> current = cache.GetOrCreateTable<long, string>("t");
        Task[] users = [.. Enumerable.Range(0, 4).Select(seed => Task.Factory.StartNew(() => Use(seed), TaskCreationOptions.LongRunning))];
        for (int round = 0; round < 200; round++)
        {
            Assert.True(cache.DropTable("t"));
            Volatile.Write(ref current, cache.GetOrCreateTable<long, string>(
                TestCache.Durable() with { MaxEntries = round % 2 == 0 ? null : 100 }));
        }
        await stop.CancelAsync();
        await Task.WhenAll(users);
        Assert.True(cache.DropTable("t"));
        Assert.Equal(0, cache.Pile.Statistics.ObjectCount);

        void Use(int seed)
        {
            var random = new Random(seed);
            while (!stop.IsCancellationRequested)
            {
                CacheTable<long, string> table = Volatile.Read(ref current);
                try
                {
                    long key = random.Next(500);
                    table.Put(key, new string('x', (int)key));
                    Assert.True(!table.TryGet(key, out string? value) || value.Length == key);
                    if (key % 50 == 0)
                        _ = table.Keys.Count();
                    if (key % 20 == 0)
                        _ = table.Statistics;
                    table.Remove(random.Next(500));
                }
                catch (ObjectDisposedException)
                {
                    // The table was dropped; the other thread makes another one.
                }
            }
        }
    }

    private static IEnumerable<(string Key, string Value)> All(PileCache cache, string name)
    {
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(name);
        return table.Keys.Order(StringComparer.Ordinal).Select(key => (key, table.Get(key)));
    }

    // A block that the index does not have, as after a kill between the catalog's record and the free of the blocks.
    private static void DropWithoutBlocks(PileCache cache) => Assert.True(cache.DropTable("t"));
}
