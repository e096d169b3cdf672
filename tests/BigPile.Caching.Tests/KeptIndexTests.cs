using System;

namespace BigPile.Caching.Tests;

/// <summary>The indexes in files: used after a stop and after a kill, and never when they may be wrong.</summary>
public sealed class KeptIndexTests : StoppedCacheTest
{
    [Fact]
    public void After_a_clean_stop_the_index_is_as_it_was()
    {
        using (PileCache cache = TestCache.Open(DirectoryPath, Time))
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 300_000; key++)
                table.PutBytes(key, BitConverter.GetBytes(key), out _);
            cache.GetOrCreateTable<string, string>("options").Put("a", "1", new EntryOptions
            {
                MaxAge = TimeSpan.FromSeconds(100), Sliding = TimeSpan.FromSeconds(60), Priority = EntryPriority.High, Tags = ["tag"],
            });
            cache.GetOrCreateTable<long, byte[]>("empty");
        }
        using (PileCache cache = TestCache.Open(DirectoryPath, Time, waits: false))
        {
            Assert.True(cache.Readiness is { IsReady: true, WasRestored: true });
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            Assert.Equal(300_000, table.Count);
            for (long key = 0; key < 300_000; key += 7)
                Assert.Equal(key, BitConverter.ToInt64(table.Get(key)));
            AssertDescribed(cache.GetOrCreateTable<string, string>("options"));
            for (long key = 0; key < 300_000; key++)
                Assert.True(table.Remove(key));
            Assert.Equal(1, cache.Pile.Statistics.ObjectCount);
        }
    }
}
