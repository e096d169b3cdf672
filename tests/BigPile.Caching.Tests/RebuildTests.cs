using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Blocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Persistence;

namespace BigPile.Caching.Tests;

/// <summary>What becomes of tables when their process is killed: a copy of the files, taken while the pile is open, is what a kill leaves.</summary>
public sealed class RebuildTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task After_a_kill_everything_comes_back_from_the_blocks()
    {
        string killed = Kill(cache =>
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
        using PileCache cache = TestCache.Open(killed, _time, waits: false);
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
    public void After_a_clean_stop_the_index_is_as_it_was_saved()
    {
        using (PileCache cache = TestCache.Open(_directory.Path, _time))
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
        Assert.True(File.Exists(SavedFile(_directory.Path)));
        using (PileCache cache = TestCache.Open(_directory.Path, _time, waits: false))
        {
            Assert.True(cache.Readiness is { IsReady: true, WasRestored: true });
            Assert.False(File.Exists(SavedFile(_directory.Path)));
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
    public void Removed_tags_stay_removed_after_a_stop_and_after_a_kill()
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
        foreach (bool isFirst in new[] { true, false })
        {
            using PileCache cache = TestCache.Open(killed, _time);
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
            Assert.Equal(!isFirst, cache.Readiness.WasRestored);
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
        _time.Advance(TimeSpan.FromSeconds(10));
        using PileCache cache = TestCache.Open(path, _time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        Assert.False(table.TryGet("short", out _));
        Assert.Equal("2", table.Get("long"));
        table.Sweep();
        Assert.Equal(1, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_saved_index_is_not_used_after_a_kill()
    {
        Stop(cache => cache.GetOrCreateTable<long, string>("t").Put(1, "old"));
        byte[] saved = File.ReadAllBytes(SavedFile(_directory.Path));
        string killed = Kill(cache => cache.GetOrCreateTable<long, string>("t").Remove(1));
        File.WriteAllBytes(SavedFile(killed), saved); // as if a power cut had brought it back
        using PileCache cache = TestCache.Open(killed, _time);
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
        byte[] saved = File.ReadAllBytes(SavedFile(_directory.Path));
        saved[at < 0 ? saved.Length + at : at] ^= change;
        File.WriteAllBytes(SavedFile(_directory.Path), saved);
        using PileCache cache = TestCache.Open(_directory.Path, _time);
        Assert.False(cache.Readiness.WasRestored);
        Assert.Equal(2000, cache.GetOrCreateTable<long, string>("t").Keys.Count());
        Assert.Equal(2000, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_cut_saved_index_is_not_used()
    {
        Stop(cache => cache.GetOrCreateTable<long, string>("t").Put(1, "x"));
        byte[] saved = File.ReadAllBytes(SavedFile(_directory.Path));
        foreach (int length in new[] { 0, 7, 50, 200, saved.Length - 1 })
        {
            using (PileCache cache = TestCache.Open(_directory.Path, _time))
                Assert.Equal("x", cache.GetOrCreateTable<long, string>("t").Get(1));
            File.WriteAllBytes(SavedFile(_directory.Path), saved[..length]);
        }
        using PileCache last = TestCache.Open(_directory.Path, _time);
        Assert.Equal("x", last.GetOrCreateTable<long, string>("t").Get(1));
    }

    [Fact]
    public void Of_two_blocks_with_one_key_the_higher_version_is_right_and_the_other_is_freed()
    {
        string killed = Kill(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 1000; key++)
                table.Put(key, [1]);
            for (long key = 0; key < 1000; key++)
            {
                // A kill between publishing and freeing, and one that left a much older block behind.
                PutBlock(cache, key, key % 2 == 0 ? cache.Pile.NextVersion(0) : 1, ValueKind.Bytes, [2]);
            }
        });
        using PileCache cache = TestCache.Open(killed, _time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < 1000; key++)
            Assert.Equal([(byte)(key % 2 == 0 ? 2 : 1)], table.Get(key));
        Assert.Equal((1000, 1000), (table.Count, cache.Pile.Statistics.ObjectCount));
    }

    [Fact]
    public void A_mark_of_a_removed_key_wins_over_its_older_blocks_and_goes()
    {
        string killed = Kill(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 500; key++)
                table.Put(key, [1]);
            for (long key = 0; key < 500; key += 2)
                PutBlock(cache, key, cache.Pile.NextVersion(0), ValueKind.Tombstone, []);
            for (long key = 1000; key < 1100; key++)
                PutBlock(cache, key, cache.Pile.NextVersion(0), ValueKind.Tombstone, []);
        });
        using PileCache cache = TestCache.Open(killed, _time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal(Enumerable.Range(0, 250).Select(i => i * 2L + 1), table.Keys.Order());
        Assert.Equal((250, 250), (table.Count, cache.Pile.Statistics.ObjectCount));
    }

    [Theory]
    [InlineData(41)]
    [InlineData(42)]
    [InlineData(43)]
    public void What_is_put_and_removed_while_the_index_is_rebuilt_stays_so(int seed)
    {
        seed = TestLeg.Seed(seed);
        const int Keys = 3000;
        string killed = Kill(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < Keys; key++)
            {
                table.Put(key, [1]);
                PutBlock(cache, key, 1, ValueKind.Bytes, [0]);
            }
        });
        using Pile pile = Pile.Open(killed, new PileOptions { SegmentBytes = 4 << 20 });
        using var core = new HalfBuilt(pile, _time);
        var random = new Random(seed);
        Dictionary<long, byte> model = Enumerable.Range(0, Keys).ToDictionary(static key => (long)key, static _ => (byte)1);
        ulong[] found = core.FindAll();
        random.Shuffle(found);
        foreach (ulong address in found)
        {
            long key = random.Next(Keys + 200);
            switch (random.Next(4))
            {
                case 0:
                    core.Put(key, (byte)random.Next(2, 250), model);
                    break;
                case 1:
                    core.Remove(key);
                    model.Remove(key);
                    break;
                case 2:
                    Assert.True(core.Get(key) is not { } value || (model.TryGetValue(key, out byte expected) && (value == expected || value == 0)), $"seed {seed}, key {key}");
                    break;
                default:
                    break;
            }
            core.AddFound(address);
        }
        core.End();
        for (long key = 0; key < Keys + 200; key++)
            Assert.True(core.Get(key) == (model.TryGetValue(key, out byte value) ? value : null), $"seed {seed}, key {key}: {core.Get(key)}");
        Assert.Equal((model.Count, model.Count), (core.Count, pile.Statistics.ObjectCount));
    }

    [Fact]
    public async Task A_cache_is_used_while_its_index_is_rebuilt()
    {
        string killed = Kill(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 200_000; key++)
                table.PutBytes(key, BitConverter.GetBytes(key), out _);
        });
        using PileCache cache = TestCache.Open(killed, _time, waits: false);
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
    public void A_limit_holds_after_a_restart_and_priorities_count()
    {
        string path = Stop(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 1000; key++)
                table.Put(key, [], new EntryOptions { Priority = key < 50 ? EntryPriority.High : EntryPriority.Low });
        });
        using PileCache cache = TestCache.Open(path, _time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(TestCache.Durable() with { MaximumEntries = 100 });
        Assert.Equal(100, table.Count);
        for (long key = 2000; key < 3000; key++)
            table.Put(key, []);
        Assert.Equal((100, 50), (table.Count, table.Keys.Count(key => key < 50)));
    }

    [Fact]
    public void Disposing_while_the_index_is_rebuilt_leaves_a_pile_that_is_rebuilt_again()
    {
        string killed = Kill(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 100_000; key++)
                table.PutBytes(key, BitConverter.GetBytes(key), out _);
        });
        TestCache.Open(killed, _time, waits: false).Dispose();
        using PileCache cache = TestCache.Open(killed, _time);
        Assert.Equal(100_000, cache.GetOrCreateTable<long, byte[]>("t").Count);
    }

    private static string SavedFile(string directory) => Path.Combine(directory, SavedIndex.FileName);

    private static unsafe void PutBlock(PileCache cache, long key, ulong version, ValueKind kind, byte[] value)
    {
        TableCore core = cache.GetOrCreateTable<long, byte[]>("t").Core;
        var presence = cache.Pile.Enter();
        Slot slot = cache.Pile.TakeEntry(EntryHead.ShortBytes + sizeof(long) + value.Length);
        byte* payload = slot.Start + BlockHeader.SizeBytes;
        EntryHead.Write(payload, core.Id, sizeof(long), kind, EntrySpec.Plain);
        EntryHead.SetVersion(payload, version);
        *(long*)(payload + EntryHead.ShortBytes) = key;
        value.CopyTo(new Span<byte>(payload + EntryHead.ShortBytes + sizeof(long), value.Length));
        cache.Pile.PublishEntry(slot, EntryHead.ShortBytes + sizeof(long) + value.Length);
        cache.Pile.Exit(presence);
    }

    private void AssertDescribed(CacheTable<string, string> table)
    {
        Assert.True(table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal((EntryPriority.High, TimeSpan.FromSeconds(60), _time.GetUtcNow().AddSeconds(60)), (entry.Priority, entry.Sliding, entry.ExpiresAt));
        _time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal("1", table.Get("a"));
        _time.Advance(TimeSpan.FromSeconds(40));
        Assert.True(table.ContainsKey("a"));
        Assert.True(table.TryGetEntry("a", out entry));
        Assert.Equal(_time.GetUtcNow().AddSeconds(1), entry.ExpiresAt);
        table.RemoveByTag("tag");
        Assert.False(table.ContainsKey("a"));
        table.Sweep();
        table.Sweep();
        table.Put("a", "1");
    }

    private string Stop(Action<PileCache> work)
    {
        using (PileCache cache = TestCache.Open(_directory.Path, _time))
            work(cache);
        return _directory.Path;
    }

    /// <summary>Works on a pile, and gives a copy of its files as they are then.</summary>
    private string Kill(Action<PileCache> work)
    {
        string copy = Path.Combine(_directory.Path, "killed");
        string live = Directory.Exists(Path.Combine(_directory.Path, "live")) || File.Exists(Path.Combine(_directory.Path, "superblock"))
            ? _directory.Path
            : Path.Combine(_directory.Path, "live");
        using PileCache cache = TestCache.Open(live, _time);
        work(cache);
        Directory.CreateDirectory(copy);
        foreach (string file in Directory.GetFiles(live))
        {
            if (Path.GetFileName(file) is not ("lock" or "owner"))
                File.Copy(file, Path.Combine(copy, Path.GetFileName(file)));
        }
        return copy;
    }
}
