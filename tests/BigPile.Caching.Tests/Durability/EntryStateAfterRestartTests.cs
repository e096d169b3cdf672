using System;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>Tags, times and priorities are valid after a stop or a kill as if the process had continued.</summary>
public sealed class EntryStateAfterRestartTests : StoppedCacheTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Removed_tags_stay_removed_after_a_stop_and_after_a_kill(bool hasLostIndexes)
    {
        string killed = Kill(cache =>
        {
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
            for (long key = 0; key < 100; key++)
                table.Put(key, "x", new EntryOptions { Tags = [key % 2 == 0 ? "even" : "odd"] });
            table.RemoveByTag("even");
            cache.GetOrCreateTable<long, string>("cleared").Put(1, "x");
            cache.GetOrCreateTable<long, string>("cleared").Clear();
        });
        if (hasLostIndexes)
            ForgetIndexes(killed);
        foreach (bool isFirst in new[] { true, false })
        {
            using PileCache cache = TestCache.Open(killed, Time);
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
            Assert.Equal(!isFirst || !hasLostIndexes, cache.Readiness.WasRestored);
            Assert.Equal(Enumerable.Range(0, 50).Select(i => i * 2L + 1), table.Keys.Order());
            Assert.False(table.TryGet(2, out _));
            Assert.Empty(cache.GetOrCreateTable<long, string>("cleared").Keys);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Time_that_passes_while_the_process_is_down_counts(bool isKilled)
    {
        void Fill(PileCache cache)
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            table.Put("short", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(10) });
            table.Put("long", "2", new EntryOptions { MaxAge = TimeSpan.FromSeconds(11) });
        }

        string path = isKilled ? Kill(Fill) : Stop(Fill);
        Time.Advance(TimeSpan.FromSeconds(10));
        using PileCache cache = TestCache.Open(path, Time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        Assert.False(table.TryGet("short", out _));
        Assert.Equal("2", table.Get("long"));
        table.Sweep();
        Assert.Equal(1, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_limit_holds_after_a_restart_and_priorities_count()
    {
        string path = Stop(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 1000; key++)
                table.Put(key, [], new EntryOptions { Priority = key < 50 ? EntryPriority.High : EntryPriority.Low });
        });
        using PileCache cache = TestCache.Open(path, Time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(TestCache.Durable() with { MaxEntries = 100 });
        Assert.Equal(100, table.Count);
        for (long key = 2000; key < 3000; key++)
            table.Put(key, []);
        Assert.Equal((100, 50), (table.Count, table.Keys.Count(key => key < 50)));
    }
}
