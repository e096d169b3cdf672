using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Feed;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tests.Durability;

namespace BigPile.Caching.Tests.Feed;

/// <summary>When an epoch begins, and what readers of the one before are told of it.</summary>
public sealed class FeedEpochTests : KeptFilesTest
{
    /// <summary>At 4 MiB chunks become larger.</summary>
    [Theory]
    [InlineData(256 << 10)]
    [InlineData(300_001)]
    [InlineData(4 << 20)]
    [InlineData((64 << 20) + (64 << 10))]
    public async Task A_power_cut_begins_one_epoch_and_says_what_was_flushed(int feedBytes)
    {
        TableOptions options = TestCache.Durable() with { FeedBytes = feedBytes };
        FeedFold<long, byte[]> fold = new();
        ulong flushed = await CutAsync(fold, options);
        using PileCache cache = Open("cut", NextBoot);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(options);
        Assert.Equal(feedBytes / 4096 * 4096, table.Statistics.FeedBytes);
        await fold.CatchUpAsync(table);
        Assert.Equal((1, flushed), (fold.Gaps, fold.FlushedUpTo));
        fold.AssertIs(table);
    }

    /// <summary>Who knows the epoch before the last one is not told of what was lost in between.</summary>
    [Fact]
    public async Task Behind_two_epochs_nothing_is_known()
    {
        TableOptions options = TestCache.Durable() with { FeedBytes = 1 << 20 };
        FeedFold<long, byte[]> fold = new();
        _ = await CutAsync(fold, options);
        using PileCache cache = Open("cut", NextBoot);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(options with { FeedBytes = 2 << 20 });
        await fold.CatchUpAsync(table);
        Assert.Equal((1, 0UL), (fold.Gaps, fold.FlushedUpTo));
        table.Put(10, [1], null, out EntryInfo info);
        await fold.CatchUpAsync(table);
        table.Configure(options);
        await fold.CatchUpAsync(table);
        Assert.Equal(2, fold.Gaps);
        Assert.True(fold.FlushedUpTo >= info.Version); // nothing was lost
        fold.AssertIs(table);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_floor_that_is_changed_begins_an_epoch(bool isKilled)
    {
        TableOptions options = TestCache.Durable() with { FeedBytes = 256 << 10 };
        FeedFold<long, byte[]> fold = new();
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(options);
            table.Put(1, [1]);
            await fold.CatchUpAsync(table);
            if (isKilled)
                KilledPile.Copy(At("live"), At("left"));
        }
        if (!isKilled)
            PileFiles.Copy(At("live"), At("left"));
        string file = Directory.GetFiles(At("left"), FileIndexStorage.FeedPrefix + "*").Single();
        byte[] bytes = File.ReadAllBytes(file);
        bytes[FeedHead.FloorOffset + 7] ^= 0x40;
        File.WriteAllBytes(file, bytes);
        using PileCache again = Open("left", Boot);
        CacheTable<long, byte[]> found = again.GetOrCreateTable<long, byte[]>(options);
        await fold.CatchUpAsync(found);
        Assert.Equal(1, fold.Gaps);
        fold.AssertIs(found);
    }

    /// <summary>What is in a spill file ends with the process, whether the next one has such files or not.</summary>
    [Fact]
    public async Task A_table_with_a_spill_file_begins_an_epoch_at_each_opening()
    {
        TableOptions options = new("t") { FeedBytes = 256 << 10, MaxEntries = 50 };
        FeedFold<long, byte[]> fold = new();
        using (PileCache cache = Open("live", At("spilled")))
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(options);
            for (int i = 0; i < 200; i++)
                table.Put(i, [1]);
            await fold.CatchUpAsync(table);
            Assert.Equal(200, fold.Entries.Count);
        }
        using PileCache next = Open("live", spillDirectory: null);
        CacheTable<long, byte[]> found = next.GetOrCreateTable<long, byte[]>(options);
        await fold.CatchUpAsync(found);
        Assert.Equal(1, fold.Gaps);
        fold.AssertIs(found);
    }

    /// <summary>In a full pile there is no space for the mark, and entries in the file go without a record.</summary>
    [Fact]
    public async Task A_clear_in_a_full_pile_is_told()
    {
        using var directory = new TemporaryDirectory();
        using var cache = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20, MaxBytes = 8 << 20 }),
            new PileCacheOptions { OwnsPile = true, SpillDirectory = directory.Path, SweepPeriod = TimeSpan.Zero, MonitorsMemory = false });
        TableOptions options = new("t") { FeedBytes = 256 << 10, MaxEntries = 50 };
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(options);
        for (int i = 0; i < 200; i++)
            table.Put(i, [1]);
        CacheTable<long, byte[]> filler = cache.GetOrCreateTable<long, byte[]>(TestCache.Durable("filler"));
        int bytes = 100_000;
        for (long key = 0; bytes > 0; key++)
        {
            try
            {
                filler.Put(key, new byte[bytes]);
            }
            catch (PileFullException)
            {
                bytes /= 2;
            }
        }
        FeedFold<long, byte[]> fold = new();
        await fold.CatchUpAsync(table);
        Assert.Equal(200, fold.Entries.Count);
        table.Clear();
        await fold.CatchUpAsync(table);
        Assert.Empty(fold.Entries);
    }

    private PileCache Open(string name, string? spillDirectory) => new(
        Pile.Open(At(name), Options(Boot, null)), CacheOptions with { OwnsPile = true, SpillDirectory = spillDirectory });

    // Leaves in "cut" what was there when the machine ended: version 1 flushed, version 2 not.
    private async Task<ulong> CutAsync(FeedFold<long, byte[]> fold, TableOptions options)
    {
        using PileCache cache = Open("live", Boot);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(options);
        table.Put(1, [1], null, out EntryInfo info);
        cache.Pile.Flush();
        table.Put(2, [2]);
        await fold.CatchUpAsync(table);
        KilledPile.Copy(At("live"), At("cut"));
        return info.Version;
    }
}
