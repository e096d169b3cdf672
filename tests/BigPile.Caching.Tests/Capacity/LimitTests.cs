using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Capacity;

public sealed class LimitTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    [Theory]
    [InlineData(CollisionMode.Durable, 1)]
    [InlineData(CollisionMode.Durable, 1000)]
    [InlineData(CollisionMode.Speculative, 1000)]
    [InlineData(CollisionMode.Durable, 140_000)]
    public void A_limit_in_entries_is_kept_at_each_put(CollisionMode mode, int limit)
    {
        CacheTable<long, byte[]> table = Make(mode, limit);
        for (long key = 0; key < limit * 2L + 1000; key++)
        {
            PutResult result = table.Put(key, BitConverter.GetBytes(key));
            Assert.Equal(key < limit ? PutResult.Inserted : PutResult.Overwritten, result);
            Assert.InRange(table.Count, 1, limit);
        }
        Assert.Equal(limit, table.Count);
        Assert.Equal(limit, table.Keys.Count());
        Assert.Equal(limit, _cache.Pile.Statistics.ObjectCount);
        Assert.Equal(limit + 1000, table.Statistics.Evictions);
        Assert.All(table.Keys, key => Assert.Equal(key, BitConverter.ToInt64(table.Get(key))));
    }

    [Fact]
    public void A_replacement_at_the_limit_evicts_nothing()
    {
        CacheTable<long, byte[]> table = Make(CollisionMode.Durable, 100);
        for (int round = 0; round < 50; round++)
        {
            for (long key = 0; key < 100; key++)
                Assert.Equal(round == 0 ? PutResult.Inserted : PutResult.Replaced, table.Put(key, new byte[round]));
        }
        Assert.Equal((100, 0), (table.Count, table.Statistics.Evictions));
    }

    [Fact]
    public void What_is_used_outlives_a_scan()
    {
        CacheTable<long, byte[]> table = Make(CollisionMode.Durable, 1000);
        for (int round = 0; round < 5; round++)
        {
            for (long key = 0; key < 500; key++)
            {
                if (!table.TryGet(key, out _))
                    table.Put(key, []);
            }
        }
        for (long key = 1_000_000; key < 1_020_000; key++)
            table.Put(key, []);
        Assert.InRange(table.Keys.Count(key => key < 500), 400, 500);
    }

    [Fact]
    public void A_limit_in_bytes_is_never_exceeded_and_counts_keys_index_and_queues()
    {
        const long Limit = 8 << 20;
        CacheTable<string, byte[]> table = _cache.GetOrCreateTable<string, byte[]>(TestCache.Durable() with { MaxBytes = Limit });
        var random = new Random(TestLeg.Seed(7));
        for (int i = 0; i < TestLeg.Steps(200_000, 5_000_000); i++)
        {
            table.Put($"key{random.Next(400_000)}", new byte[random.Next(random.Next(500) == 0 ? 60_000 : 400)]);
            if (i % 16 == 0)
                Assert.InRange(table.Statistics.TotalBytes, 0, Limit);
        }
        table.Core.CheckInvariantsAt("seed 7, the end");
        TableStatistics statistics = table.Statistics;
        Assert.InRange(statistics.TotalBytes, Limit * 9 / 10, Limit);
        Assert.Equal(table.Keys.Count(), table.Count);
        Assert.Equal(statistics.EntryBytes, _cache.Pile.Statistics.PayloadBytes);
        Assert.InRange(statistics.BlockBytes, statistics.EntryBytes, Limit);
        Assert.Equal(PutResult.Collision, table.Put("too large", new byte[Limit]));
    }

    [Fact]
    public void Entries_of_lower_priority_go_first_and_pinned_ones_never()
    {
        CacheTable<long, byte[]> table = Make(CollisionMode.Durable, 400);
        foreach (EntryPriority priority in Enum.GetValues<EntryPriority>())
        {
            for (long key = 0; key < 100; key++)
                table.Put((long)priority * 1000 + key, [], new EntryOptions { Priority = priority });
        }
        for (long key = 10_000; key < 10_100; key++)
            Assert.Equal(PutResult.Overwritten, table.Put(key, []));
        Assert.Equal([0, 100, 100, 100], CountByPriority(table));
        for (long key = 20_000; key < 20_500; key++)
            table.Put(key, []);
        int[] left = CountByPriority(table);
        Assert.Equal((0, 100, 100), (left[0], left[2], left[3]));
        Assert.Equal(200, table.Entries.Count(entry => entry.Priority == EntryPriority.Normal));
        Assert.Equal(PutResult.Collision, table.Put(30_000, [], new EntryOptions { Priority = EntryPriority.Low }));
        for (long key = 40_000; key < 40_300; key++)
            table.Put(key, [], new EntryOptions { Priority = EntryPriority.NeverEvict });
        Assert.Equal(PutResult.Collision, table.Put(50_000, []));
        Assert.False(table.ContainsKey(50_000));
        Assert.Equal(400, table.Count);
    }

    [Fact]
    public void A_changed_priority_counts_from_then_on()
    {
        CacheTable<long, byte[]> table = Make(CollisionMode.Durable, 10);
        for (long key = 0; key < 10; key++)
            table.Put(key, [], new EntryOptions { Priority = EntryPriority.NeverEvict });
        Assert.Equal(PutResult.Collision, table.Put(100, []));
        table.Put(3, []);
        Assert.Equal(PutResult.Overwritten, table.Put(100, []));
        Assert.False(table.ContainsKey(3));
        table.Put(100, [], new EntryOptions { Priority = EntryPriority.High });
        Assert.Equal(PutResult.Collision, table.Put(101, []));
    }

    [Fact]
    public void Limits_change_on_a_live_table()
    {
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>(TestCache.Durable());
        for (long key = 0; key < 5000; key++)
            table.Put(key, new byte[100]);
        Assert.Equal(0, table.Statistics.EvictionBytes);
        table.Configure(TestCache.Durable() with { MaxEntries = 1000 });
        Assert.Equal((1000, 1000), (table.Count, _cache.Pile.Statistics.ObjectCount));
        for (long key = 10_000; key < 12_000; key++)
            table.Put(key, new byte[100]);
        Assert.Equal(1000, table.Count);
        table.Configure(TestCache.Durable());
        for (long key = 20_000; key < 25_000; key++)
            table.Put(key, new byte[100]);
        Assert.Equal((6000, 0), (table.Count, table.Statistics.EvictionBytes));
    }

    [Fact]
    public void Removing_and_adding_again_does_not_let_the_queues_grow()
    {
        CacheTable<long, byte[]> table = Make(CollisionMode.Durable, 1000);
        for (int round = 0; round < 200; round++)
        {
            for (long key = 0; key < 900; key++)
                table.Put(key, []);
            for (long key = 0; key < 890; key++)
                table.Remove(key);
        }
        Assert.InRange(table.Statistics.EvictionBytes, 1, 64 << 10);
        for (long key = 0; key < 5000; key++)
            table.Put(key, []);
        Assert.Equal((1000, 1000), (table.Count, table.Keys.Count()));
    }

    [Theory]
    [InlineData(31, false)]
    [InlineData(32, true)]
    public async Task Limits_hold_while_many_threads_put_remove_and_read(int seed, bool inBytes)
    {
        seed = TestLeg.Seed(seed);
        const int Limit = 5000;
        const long LimitBytes = 2 << 20;
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>(
            inBytes ? TestCache.Durable() with { MaxBytes = LimitBytes } : TestCache.Durable() with { MaxEntries = Limit });
        Task[] tasks = [.. Enumerable.Range(0, 4).Select(worker => SideBySide.Start(() =>
        {
            var random = new Random(seed * 10 + worker);
            for (int step = 0; step < TestLeg.Steps(40_000, 2_000_000); step++)
            {
                long key = random.Next(30_000);
                if (random.Next(3) == 0)
                    table.Put(
                        key, BitConverter.GetBytes(key), random.Next(10) == 0 ? new EntryOptions { Priority = EntryPriority.High } : null);
                else if (random.Next(10) == 0)
                    table.Touch(key, new EntryOptions { Priority = (EntryPriority)random.Next((int)EntryPriority.NeverEvict) });
                else if (random.Next(5) == 0)
                    table.Remove(key);
                else if (table.TryGet(key, out byte[]? value))
                    Assert.Equal(key, BitConverter.ToInt64(value));
                if (step % 64 == 0 && inBytes)
                    Assert.InRange(table.Statistics.IndexBytes + table.Statistics.EvictionBytes, 1, LimitBytes);
                else if (step % 64 == 0)
                    Assert.InRange(table.Count, 0, Limit);
            }
        }))];
        await Task.WhenAll(tasks);
        table.Core.CheckInvariantsAt($"seed {seed}");
        Assert.Equal(table.Keys.Count(), table.Count);
        Assert.Equal(table.Count, _cache.Pile.Statistics.ObjectCount);
        Assert.True(!inBytes || table.Statistics.TotalBytes <= LimitBytes, $"seed {seed}: {table.Statistics.TotalBytes}");
    }

    [Fact]
    public void A_speculative_table_with_a_fixed_index_ejects_the_least_worth_of_a_full_bucket()
    {
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>(new TableOptions("s") { FixedIndex = true });
        long indexBytes = 0;
        var results = new Dictionary<PutResult, int>();
        for (long key = 0; key < 20_000; key++)
        {
            PutResult result = table.Put(key, BitConverter.GetBytes(key));
            results[result] = results.GetValueOrDefault(result) + 1;
            Assert.True(table.ContainsKey(key));
            if (key == 0)
                indexBytes = table.Statistics.IndexBytes;
        }
        Assert.Equal(indexBytes, table.Statistics.IndexBytes);
        Assert.Equal(TableIndex.MinBuckets * 7, table.Count);
        Assert.Equal(table.Count, results[PutResult.Inserted]);
        Assert.Equal(20_000 - table.Count, results[PutResult.Overwritten]);
        Assert.Equal(20_000 - table.Count, table.Statistics.Evictions);
        Assert.Equal(table.Count, _cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_full_bucket_keeps_the_used_the_important_and_the_pinned()
    {
        var time = new ManualTime();
        using PileCache cache = TestCache.Make(time);
        CacheTable<long, byte[]> table =
            cache.GetOrCreateTable<long, byte[]>(new TableOptions("s") { FixedIndex = true, InitialEntries = 1_000 });
        const int Few = 64; // of 256 buckets: by chance too many for a bucket in one run of many millions
        for (long key = 0; key < Few; key++)
            table.Put(key, [], new EntryOptions { Priority = EntryPriority.NeverEvict });
        for (long key = 1000; key < 1000 + Few; key++)
            table.Put(key, [], new EntryOptions { Priority = EntryPriority.High });
        for (long key = 2000; key < 40_000; key++)
            table.Put(key, [], new EntryOptions { Priority = EntryPriority.Low });
        Assert.Equal(Few, table.Keys.Count(key => key < Few));
        Assert.Equal(Few, table.Keys.Count(key => key is >= 1000 and < 1000 + Few));
        for (long key = 50_000; key < 70_000; key++)
            table.Put(key, [], new EntryOptions { Priority = EntryPriority.NeverEvict });
        Assert.Contains(PutResult.Collision, Enumerable.Range(80_000, 100).Select(key => table.Put(key, [])));
        Assert.True(table.Statistics.Collisions > 0);
    }

    [Fact]
    public void Expired_entries_of_a_full_bucket_go_before_all_others()
    {
        var time = new ManualTime();
        using PileCache cache = TestCache.Make(time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(new TableOptions("s") { FixedIndex = true });
        for (long key = 0; key < 100_000; key++)
            table.Put(key, [], new EntryOptions { Priority = EntryPriority.NeverEvict, MaxAge = TimeSpan.FromSeconds(1) });
        Assert.Equal(PutResult.Collision, table.Put(-1, []));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(PutResult.Inserted, table.Put(-1, [], new EntryOptions { Priority = EntryPriority.Low }));
    }

    [Fact]
    public async Task Evicted_and_expired_entries_are_told_of_in_batches()
    {
        var time = new ManualTime();
        using PileCache cache = TestCache.Make(time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(TestCache.Durable() with { MaxEntries = 100 });
        var told = new ConcurrentQueue<RemovedEntry<long>>();
        using var done = new SemaphoreSlim(0);
        void Listen(IReadOnlyList<RemovedEntry<long>> batch)
        {
            foreach (RemovedEntry<long> removed in batch)
                told.Enqueue(removed);
            if (told.Count == 1000)
                done.Release();
        }

        table.EntriesRemoved += Listen;
        for (long key = 0; key < 1000; key++)
            table.Put(key, new byte[10], new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        table.Put(999, new byte[10], new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        time.Advance(TimeSpan.FromSeconds(1));
        table.Sweep();
        Assert.True(await done.WaitAsync(Eventually.Timeout));
        Assert.Equal((900, 100),
            (told.Count(entry => entry.Reason == RemovalReason.Evicted), told.Count(entry => entry.Reason == RemovalReason.Expired)));
        Assert.Equal(Enumerable.Range(0, 1000).Select(key => (long)key), told.Select(entry => entry.Key).Order());
        Assert.All(told, entry => Assert.Equal(10, entry.Info.ValueBytes));
        table.EntriesRemoved -= Listen;
        table.Put(1, [], new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        time.Advance(TimeSpan.FromSeconds(1));
        table.Sweep();
        Assert.Equal(1000, told.Count);
    }

    private static int[] CountByPriority(CacheTable<long, byte[]> table) =>
        [.. Enum.GetValues<EntryPriority>().Select(
            priority => table.Entries.Count(entry => entry.Priority == priority && entry.Key < 10_000))];

    private CacheTable<long, byte[]> Make(CollisionMode mode, long limit) =>
        _cache.GetOrCreateTable<long, byte[]>(new TableOptions("t") { CollisionMode = mode, MaxEntries = limit });
}
