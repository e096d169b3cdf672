using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Tests.Rebuild;

/// <summary>Tables that are used, or disposed, before all their entries were found again.</summary>
public sealed class UseWhileRebuildingTests : StoppedCacheTest
{
    [Theory]
    [InlineData(41)]
    [InlineData(42)]
    [InlineData(43)]
    public void What_is_put_and_removed_while_the_index_is_rebuilt_stays_so(int seed)
    {
        seed = TestLeg.Seed(seed);
        const int Keys = 3000;
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < Keys; key++)
            {
                table.Put(key, [1]);
                PutBlock(cache, key, 1, ValueKind.Bytes, [0]);
            }
        });
        using Pile pile = Pile.Open(killed, new PileOptions { SegmentBytes = 4 << 20 });
        using var core = new HalfBuilt(pile, Time);
        var random = new Random(seed);
        Dictionary<long, byte> model = Enumerable.Range(0, Keys).ToDictionary(static key => (long)key, static _ => (byte)1);
        var since = new HashSet<long>();
        ulong[] found = core.FindAll();
        random.Shuffle(found);
        foreach (ulong address in found)
        {
            long key = random.Next(Keys + 200);
            switch (random.Next(4))
            {
                case 0:
                    core.Put(key, (byte)random.Next(2, 250), model);
                    since.Add(key);
                    break;
                case 1:
                    core.Remove(key);
                    model.Remove(key);
                    break;
                case 2:
                    Assert.True(
                        core.Get(key) == (since.Contains(key) && model.TryGetValue(key, out byte visible) ? visible : null),
                        $"seed {seed}, key {key}");
                    break;
                default:
                    break;
            }
            core.AddFound(address);
        }
        core.End();
        for (long key = 0; key < Keys + 200; key++)
            Assert.True(
                core.Get(key) == (model.TryGetValue(key, out byte value) ? value : null), $"seed {seed}, key {key}: {core.Get(key)}");
        Assert.Equal((model.Count, model.Count), (core.Count, pile.Statistics.ObjectCount));
    }

    [Fact]
    public void An_entry_whose_object_is_an_entry_is_dropped_and_the_other_one_stays()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            table.Put(1, [1]);
            byte[] pointer = BitConverter.GetBytes(cache.Pile.Single().Pointer.ToUInt64());
            table.Put(2, [2]);
            PutBlock(cache, key: 2, version: 1, ValueKind.Pointer, pointer); // older
            PutBlock(cache, key: 3, version: 1, ValueKind.Pointer, pointer); // alone
        });
        using PileCache cache = TestCache.Open(killed, Time, waits: true);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal([1], table.Get(1)!);
        Assert.Equal([2], table.Get(2)!);
        Assert.False(table.ContainsKey(3));
        Assert.Equal((2, 2), (table.Count, cache.Pile.Statistics.ObjectCount));
    }

    [Fact]
    public async Task A_cache_is_used_while_its_index_is_rebuilt()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 200_000; key++)
                table.PutBytes(key, BitConverter.GetBytes(key), out _);
        });
        using PileCache cache = TestCache.Open(killed, Time, waits: false);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < 200_000; key += 100)
        {
            table.PutBytes(key, BitConverter.GetBytes(-1L), out _);
            table.Remove(key + 1);
            Assert.True(!table.TryGet(key + 2, out byte[]? value) || BitConverter.ToInt64(value) == key + 2);
            Assert.False(table.ContainsKey(key + 1));
        }
        await cache.Readiness.Completion;
        Assert.Equal(198_000, table.Count);
        for (long key = 0; key < 200_000; key += 10)
            Assert.Equal(key % 100 == 0 ? -1 : key, BitConverter.ToInt64(table.Get(key)));
        Assert.False(table.ContainsKey(101));
        Assert.Equal(198_000, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public async Task What_was_removed_before_a_kill_is_never_read_and_a_new_table_misses_nothing()
    {
        const int Keys = 50_000;
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < Keys; key++)
                table.Put(key, [1], new EntryOptions { Tags = ["tag"] });
            table.RemoveByTag("tag");
            cache.Pile.Flush();
        });
        using PileCache cache = TestCache.Open(killed, Time, waits: false);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        CacheTable<long, byte[]> made = cache.GetOrCreateTable<long, byte[]>("new");
        for (long key = 0; key < Keys; key++)
        {
            Assert.False(table.ContainsKey(key));
            made.Put(key, [2]);
            Assert.True(made.ContainsKey(key));
        }
        Assert.Empty(table.Keys);
        Assert.Equal(Keys, made.Keys.Count());
        await cache.Readiness.Completion;
        Assert.Empty(table.Keys);
        Assert.Equal(Keys, made.Keys.Count());
    }

    [Fact]
    public void Disposing_while_the_index_is_rebuilt_leaves_a_pile_that_is_rebuilt_again()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 100_000; key++)
                table.PutBytes(key, BitConverter.GetBytes(key), out _);
        });
        TestCache.Open(killed, Time, waits: false).Dispose();
        using PileCache cache = TestCache.Open(killed, Time);
        Assert.Equal(100_000, cache.GetOrCreateTable<long, byte[]>("t").Count);
    }
}
