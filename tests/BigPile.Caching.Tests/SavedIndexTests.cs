using System;
using System.IO;
using System.Linq;

namespace BigPile.Caching.Tests;

/// <summary>The index that a clean stop saves: used once, and never when it may be wrong.</summary>
public sealed class SavedIndexTests : StoppedCacheTest
{
    [Fact]
    public void After_a_clean_stop_the_index_is_as_it_was_saved()
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
        Assert.True(File.Exists(SavedFile(DirectoryPath)));
        using (PileCache cache = TestCache.Open(DirectoryPath, Time, waits: false))
        {
            Assert.True(cache.Readiness is { IsReady: true, WasRestored: true });
            Assert.False(File.Exists(SavedFile(DirectoryPath)));
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

    [Fact]
    public void A_saved_index_is_not_used_after_a_kill()
    {
        Stop(cache => cache.GetOrCreateTable<long, string>("t").Put(1, "old"));
        byte[] saved = File.ReadAllBytes(SavedFile(DirectoryPath));
        string killed = Kill(cache => cache.GetOrCreateTable<long, string>("t").Remove(1));
        File.WriteAllBytes(SavedFile(killed), saved); // as if a power cut had brought it back
        using PileCache cache = TestCache.Open(killed, Time);
        Assert.False(cache.Readiness.WasRestored);
        Assert.False(cache.GetOrCreateTable<long, string>("t").ContainsKey(1));
        Assert.False(File.Exists(SavedFile(killed)));
    }

    [Theory]
    [InlineData(4, 0x01)] // magic
    [InlineData(60, 0x80)] // seed
    [InlineData(-1, 0x01)] // checksum
    [InlineData(5000, 0x10)] // a line
    [InlineData(72, 0x01)] // number of tables
    [InlineData(120, 0x40)] // number of buckets
    public void A_damaged_saved_index_is_not_used(int at, byte change)
    {
        Stop(cache =>
        {
            for (long key = 0; key < 2000; key++)
                cache.GetOrCreateTable<long, string>("t").Put(key, "x");
        });
        byte[] saved = File.ReadAllBytes(SavedFile(DirectoryPath));
        saved[at < 0 ? saved.Length + at : at] ^= change;
        File.WriteAllBytes(SavedFile(DirectoryPath), saved);
        using PileCache cache = TestCache.Open(DirectoryPath, Time);
        Assert.False(cache.Readiness.WasRestored);
        Assert.Equal(2000, cache.GetOrCreateTable<long, string>("t").Keys.Count());
        Assert.Equal(2000, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_cut_saved_index_is_not_used()
    {
        Stop(cache => cache.GetOrCreateTable<long, string>("t").Put(1, "x"));
        byte[] saved = File.ReadAllBytes(SavedFile(DirectoryPath));
        foreach (int length in new[] { 0, 7, 50, 200, saved.Length - 1 })
        {
            using (PileCache cache = TestCache.Open(DirectoryPath, Time))
                Assert.Equal("x", cache.GetOrCreateTable<long, string>("t").Get(1));
            File.WriteAllBytes(SavedFile(DirectoryPath), saved[..length]);
        }
        using PileCache last = TestCache.Open(DirectoryPath, Time);
        Assert.Equal("x", last.GetOrCreateTable<long, string>("t").Get(1));
    }
}
