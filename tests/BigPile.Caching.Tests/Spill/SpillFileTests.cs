using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Spill;
using BigPile.Hash;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Spill;

/// <summary>The files of tables that spill: when they come and go, and what their failures cost.</summary>
public sealed class SpillFileTests
{
    [Fact]
    public void A_cleared_table_is_empty_and_a_dropped_one_has_no_file()
    {
        using var cache = new SpillingCache();
        cache.Fill();
        cache.Table.Clear();
        Assert.Equal(0, cache.Table.Statistics.SpilledEntries);
        for (int key = 0; key < SpillingCache.Many; key++)
            Assert.False(cache.Table.ContainsKey(key));
        cache.Fill();
        Assert.NotEmpty(cache.Files);
        Assert.True(cache.Cache.DropTable("t"));
        Assert.Empty(cache.Files);
    }

    [Fact]
    public void A_file_of_few_entries_is_small()
    {
        using var cache = new SpillingCache();
        for (int key = 0; cache.Table.Statistics.SpilledEntries == 0; key++)
            cache.Table.Put(key, SpillingCache.Value(key));
        Assert.InRange(cache.Table.Statistics.SpilledBytes, SpillingCache.ValueBytes, 128 << 10);
    }

    [Fact]
    public void The_files_go_with_the_cache()
    {
        var cache = new SpillingCache();
        cache.Fill();
        Assert.NotEmpty(cache.Files);
        cache.Cache.Dispose();
        Assert.Empty(cache.Files);
        Assert.Empty(Directory.GetDirectories(cache.SpillDirectory));
        cache.Dispose();
    }

    [Fact]
    public void What_a_killed_process_left_is_not_believed()
    {
        const int displaced = 3_000;
        using var cache = new SpillingCache();
        string left = Path.Combine(cache.SpillDirectory, $"{cache.Cache.Pile.Engine.Id:N}", $"table-{cache.Table.Core.Id}.hash");
        Directory.CreateDirectory(Path.GetDirectoryName(left)!);
        using (HashDatabase database = HashDatabase.Open(left))
        {
            for (int key = 0; key < 5_000; key++)
                database.Set(BitConverter.GetBytes(key), SpillingCache.Value(key));
        }
        cache.Displace();
        Assert.Equal(left, Assert.Single(cache.Files));
        Assert.Equal(displaced, cache.Table.Count + cache.Table.Statistics.SpilledEntries);
        for (int key = 0; key < 5_000; key++)
            Assert.False(cache.Table.ContainsKey(key));
        Assert.True(cache.Table.ContainsKey(1_000_000));
    }

    [Fact]
    public void What_killed_processes_left_goes_and_what_others_use_stays()
    {
        using var cache = new SpillingCache();
        string left = Path.Combine(cache.SpillDirectory, $"{Guid.NewGuid():N}", "table-1.hash");
        string used = Path.Combine(cache.SpillDirectory, $"{Guid.NewGuid():N}", "table-1.hash");
        string unrelated = Path.Combine(cache.SpillDirectory, "other", "table-1.hash");
        foreach (string path in (string[])[left, used, unrelated])
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            HashDatabase.Open(path).Dispose();
        }
        using HashDatabase open = HashDatabase.Open(used);
        cache.Displace();
        Assert.False(Directory.Exists(Path.GetDirectoryName(left)));
        Assert.True(File.Exists(used));
        Assert.True(File.Exists(unrelated));
    }

    [Fact]
    public void A_directory_that_can_not_be_used_costs_the_evicted_and_no_more()
    {
        using var cache = new SpillingCache();
        Directory.Delete(cache.SpillDirectory);
        File.WriteAllText(cache.SpillDirectory, "no directory");
        cache.Fill();
        Assert.InRange(cache.Table.Statistics.SpillLosses, SpillingCache.Many / 2, SpillingCache.Many);
        Assert.Equal(SpillingCache.Value(SpillingCache.Many - 1), cache.Table.Get(SpillingCache.Many - 1));
        Assert.Throws<ArgumentException>(() => new PileCache(new Pile(), new PileCacheOptions { SpillDirectory = cache.SpillDirectory }));
        File.Delete(cache.SpillDirectory);
        for (int round = 1; round <= 3; round++)
            cache.Displace(1_000_000 * round); // it is tried again
        Assert.NotEqual(0, cache.Table.Statistics.SpilledEntries);
    }

    /// <summary>A sweep that ended at the damage each time would keep the marks for ever.</summary>
    [Fact]
    public void A_damaged_file_that_only_sweeps_come_by_is_given_up()
    {
        using var cache = new SpillingCache();
        cache.Fill(options: new EntryOptions { Tags = ["tag"] });
        long spilled = cache.Table.Statistics.SpilledEntries;
        Assert.Equal(0, cache.Table.Statistics.SpillLosses);
        string path = Assert.Single(cache.Files);
        using (HeldDirectory directory = HeldDirectory.Open(Path.GetDirectoryName(path)!))
        using (HeldFile file = directory.Open(Path.GetFileName(path), FileMode.Open, FileAccess.ReadWrite))
            file.Write([.. Enumerable.Repeat((byte)0xA5, 1 << 20)], new FileInfo(path).Length / 2);
        cache.Table.RemoveByTag("tag");
        for (int sweep = 0; sweep < 3; sweep++)
            cache.Table.Sweep();
        Assert.Equal(0, cache.Table.Core.Tags.Count);
        Assert.Empty(cache.Files);
        Assert.InRange(cache.Table.Statistics.SpillLosses, 1, spilled); // those that were removed before the damage was met are not lost
    }

    /// <summary>The application's logger may wait for a thread that puts: nothing is locked where it is called.</summary>
    [Fact]
    public void A_failure_is_told_while_nothing_is_locked()
    {
        SpillStore? spill = null;
        int calls = 0;
        int callsUnderLock = 0;
        using var cache = new SpillingCache(logger: new CallingLogger((_, exception) =>
        {
            if (spill is not { } store || exception == null)
                return;
            for (ulong hash = 0; hash < SpillStore.StripeCount; hash++)
                callsUnderLock += store.StripeOf(hash).Lock.IsHeldByCurrentThread ? 1 : 0;
            calls++;
        }));
        spill = cache.Table.Core.Disk!.Store;
        Directory.Delete(cache.SpillDirectory);
        File.WriteAllText(cache.SpillDirectory, "no directory");
        cache.Fill();
        Eventually.True(() => Volatile.Read(ref calls) != 0);
        Assert.Equal(0, callsUnderLock);
        File.Delete(cache.SpillDirectory);
    }

    /// <summary>The last file of a directory takes it along, as does a cache that finds one empty; others make theirs then.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Files_that_come_beside_others_that_go_lose_nothing(int caches)
    {
        using var first = new SpillingCache();
        int rounds = TestLeg.Steps(40, 5_000);
        SpillUse[] uses = [.. Enumerable.Range(0, 3).Select(
            number => new SpillUse(first.SpillDirectory, number % caches == 0 ? first.Cache : null, number))];
        await Task.WhenAll(uses.Select(use => SideBySide.Start(() =>
        {
            for (int round = 0; round < rounds; round++)
                use.Run(round);
        })));
        Array.ForEach(uses, use => use.Dispose());
    }

    // A table, in a cache of its own or not, that is made, spills some entries, and is dropped.
    private sealed class SpillUse(string directory, PileCache? shared, int number) : IDisposable
    {
        private const int Entries = 4;

        private readonly PileCache _cache = shared ?? new PileCache(
            new Pile(), new PileCacheOptions { OwnsPile = true, SpillDirectory = directory, SweepPeriod = TimeSpan.Zero });

        internal void Run(int round)
        {
            string name = $"table {number}";
            CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions(name) { MaxEntries = 1 });
            for (int key = 0; key < Entries; key++)
                table.Put(key, SpillingCache.Value(key));
            Assert.True(table.Statistics.SpillLosses == 0, $"round {round}");
            for (int key = 0; key < Entries; key++)
                Assert.Equal(SpillingCache.Value(key), table.Get(key));
            Assert.True(_cache.DropTable(name));
        }

        public void Dispose()
        {
            if (shared == null)
                _cache.Dispose();
        }
    }
}
