using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Tests.Rebuild;

/// <summary>What the blocks alone tell when tables are opened after a kill.</summary>
public sealed class RebuildTests : StoppedCacheTest
{
    [Fact]
    public async Task After_a_kill_everything_comes_back_from_the_blocks()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 20_000; key++)
                table.Put(key, BitConverter.GetBytes(key));
            for (long key = 0; key < 20_000; key += 3)
                table.Put(key, BitConverter.GetBytes(-key));
            for (long key = 0; key < 20_000; key += 7)
                table.Remove(key);
            cache.GetOrCreateTable<string, string>("options").Put("a", "1", new EntryOptions
            {
                MaxAge = TimeSpan.FromSeconds(100), Sliding = TimeSpan.FromSeconds(60), Priority = EntryPriority.High, Tags = ["tag"],
            });
        });
        using PileCache cache = TestCache.Open(killed, Time, waits: false);
        await cache.Readiness.Completion;
        Assert.Equal((true, 1.0, false), (cache.Readiness.IsReady, cache.Readiness.Progress, cache.Readiness.WasRestored));
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < 20_000; key++)
        {
            bool isThere = table.TryGet(key, out byte[]? value);
            Assert.Equal(key % 7 != 0, isThere);
            Assert.True(!isThere || BitConverter.ToInt64(value!) == (key % 3 == 0 ? -key : key));
        }
        Assert.Equal(table.Keys.Count(), table.Count);
        AssertDescribed(cache.GetOrCreateTable<string, string>("options"));
        Assert.Equal(table.Count + 1, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void Of_two_blocks_with_one_key_the_higher_version_is_right_and_the_other_is_freed()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 1000; key++)
                table.Put(key, [1]);
            for (long key = 0; key < 1000; key++)
            {
                // A kill between publishing and freeing, and one that left a much older block behind.
                PutBlock(cache, key, key % 2 == 0 ? cache.Pile.Engine.Versions.Next(0) : 1, ValueKind.Bytes, [2]);
            }
        });
        using PileCache cache = TestCache.Open(killed, Time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < 1000; key++)
            Assert.Equal([(byte)(key % 2 == 0 ? 2 : 1)], table.Get(key));
        Assert.Equal((1000, 1000), (table.Count, cache.Pile.Statistics.ObjectCount));
    }

    [Fact]
    public void A_mark_of_a_removed_key_wins_over_its_older_blocks_and_goes()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 500; key++)
                table.Put(key, [1]);
            for (long key = 0; key < 500; key += 2)
                PutBlock(cache, key, cache.Pile.Engine.Versions.Next(0), ValueKind.Tombstone, []);
            for (long key = 1000; key < 1100; key++)
                PutBlock(cache, key, cache.Pile.Engine.Versions.Next(0), ValueKind.Tombstone, []);
        });
        using PileCache cache = TestCache.Open(killed, Time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal(Enumerable.Range(0, 250).Select(i => i * 2L + 1), table.Keys.Order());
        Assert.Equal((250, 250), (table.Count, cache.Pile.Statistics.ObjectCount));
    }
}
