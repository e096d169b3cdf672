using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Spill;

/// <summary>A table that is larger than its memory: what leaves it comes back as it was.</summary>
public sealed class SpillTests
{
    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    [InlineData(StoreKind.Mapped)]
    public void All_of_ten_times_the_memory_is_found(StoreKind store)
    {
        using var cache = new SpillingCache(store: store);
        cache.Fill();
        TableStatistics filled = cache.Table.Statistics;
        Assert.InRange(filled.TotalBytes, 1, 1 << 20);
        Assert.Equal(SpillingCache.Many, filled.EntryCount + filled.SpilledEntries);
        foreach (int key in Enumerable.Range(0, SpillingCache.Many).OrderBy(key => key * 7919L % 10_007))
            Assert.Equal(SpillingCache.Value(key), cache.Table.Get(key));
        TableStatistics read = cache.Table.Statistics;
        Assert.InRange(read.TotalBytes, 1, 1 << 20);
        Assert.Equal(SpillingCache.Many, read.EntryCount + read.SpilledEntries);
        Assert.Equal(SpillingCache.Many, read.Hits);
        Assert.Equal(0, read.Misses);
        Assert.Equal(SpillingCache.Many, read.Puts); // what comes back was not put
        Assert.Equal(0, read.SpillLosses);
        Assert.InRange(read.SpillReturns, SpillingCache.Many / 2, SpillingCache.Many);
    }

    [Fact]
    public void Without_a_directory_nothing_is_written_and_most_is_evicted()
    {
        using var cache = new SpillingCache(spills: false);
        cache.Fill();
        Assert.InRange(Enumerable.Range(0, SpillingCache.Many).Count(key => cache.Table.ContainsKey(key)), 1, SpillingCache.Many / 5);
        Assert.Equal(0, cache.Table.Statistics.SpilledEntries);
        Assert.Empty(cache.Files);
    }

    [Fact]
    public void What_is_removed_does_not_come_back()
    {
        using var cache = new SpillingCache();
        cache.Fill();
        for (int key = 0; key < SpillingCache.Many; key += 2)
            Assert.True(cache.Table.Remove(key));
        for (int key = 0; key < SpillingCache.Many; key++)
        {
            Assert.Equal(key % 2 != 0, cache.Table.ContainsKey(key));
            Assert.Equal(key % 2 != 0, cache.Table.Remove(key));
        }
        Assert.Equal(SpillingCache.Many, cache.Table.Statistics.Removals);
        Assert.Equal(0, cache.Table.Statistics.SpilledEntries + cache.Table.Count);
    }

    [Fact]
    public void The_last_value_is_the_one_that_comes_back()
    {
        using var cache = new SpillingCache();
        cache.Fill();
        for (int key = 0; key < SpillingCache.Many; key += 3)
            cache.Table.Put(key, SpillingCache.Value(key, 1));
        for (int key = 0; key < SpillingCache.Many; key++)
            Assert.Equal(SpillingCache.Value(key, key % 3 == 0 ? 1 : 0), cache.Table.Get(key));
    }

    [Fact]
    public void What_expires_or_loses_its_tag_does_not_uncover_what_was_spilled_before()
    {
        var time = new ManualTime();
        using var cache = new SpillingCache(time);
        cache.Table.Put(-1, SpillingCache.Value(-1));
        cache.Table.Put(-2, SpillingCache.Value(-2));
        cache.Fill();
        cache.Table.Put(-1, SpillingCache.Value(-1, 1), new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        cache.Table.Put(-2, SpillingCache.Value(-2, 1), new EntryOptions { Tags = ["t"] });
        time.Advance(TimeSpan.FromSeconds(2));
        cache.Table.RemoveByTag("t");
        Assert.False(cache.Table.ContainsKey(-1));
        Assert.False(cache.Table.ContainsKey(-2));
    }

    [Theory]
    [InlineData(EntryPriority.Normal, 1)]
    [InlineData(EntryPriority.Low, 0)] // memory is full of what is worth more: it is read where it is
    public void An_entry_comes_back_with_its_version_age_expiry_priority_and_tags(EntryPriority priority, int returns)
    {
        var time = new ManualTime();
        using var cache = new SpillingCache(time);
        var options = new EntryOptions { MaxAge = TimeSpan.FromHours(1), Priority = priority, Tags = ["a", "b"] };
        cache.Table.Put(-1, SpillingCache.Value(-1), options, out EntryInfo put);
        Assert.True(cache.Table.TryGetEntry(-1, out TableEntry<int> before));
        time.Advance(TimeSpan.FromMinutes(1));
        cache.Displace();
        Assert.True(cache.Table.TryGetEntry(-1, out TableEntry<int> after));
        Assert.Equal(0, cache.Table.Statistics.SpillReturns); // a peek leaves it where it is
        Assert.Equal(before with { Age = TimeSpan.FromMinutes(1) }, after);
        Assert.Equal(SpillingCache.Value(-1), cache.Table.Get(-1));
        Assert.Equal(returns, cache.Table.Statistics.SpillReturns);
        Assert.True(cache.Table.TryGetEntry(-1, out after));
        Assert.Equal(before with { Age = TimeSpan.FromMinutes(1) }, after);
        Assert.Equal(put.Version, after.Info.Version);
        Assert.False(cache.Table.TryGet(-1, TimeSpan.FromSeconds(30), out _));
        cache.Displace(2_000_000);
        cache.Table.RemoveByTag("b");
        Assert.False(cache.Table.ContainsKey(-1));
    }

    [Fact]
    public void A_tag_that_is_removed_goes_from_what_was_spilled_however_many_sweeps_come()
    {
        using var cache = new SpillingCache();
        cache.Fill(options: new EntryOptions { Tags = ["t"] });
        cache.Table.RemoveByTag("t");
        for (int key = 0; key < SpillingCache.Many; key += 10)
            Assert.False(cache.Table.ContainsKey(key));
        for (int round = 0; round < 3; round++)
            cache.Table.Sweep();
        Assert.Equal(0, cache.Table.Statistics.SpilledEntries);
        for (int key = 0; key < SpillingCache.Many; key++)
            Assert.False(cache.Table.ContainsKey(key));
    }

    [Fact]
    public void A_sweep_frees_what_expired_where_it_was_spilled()
    {
        var time = new ManualTime();
        using var cache = new SpillingCache(time);
        cache.Fill(options: new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        Assert.NotEqual(0, cache.Table.Statistics.SpilledEntries);
        time.Advance(TimeSpan.FromSeconds(2));
        cache.Table.Sweep();
        Assert.Equal(0, cache.Table.Statistics.SpilledEntries);
        Assert.Equal(0, cache.Table.Count);
    }

    [Fact]
    public void A_limit_that_is_lowered_spills_what_is_over_it_beside_reads_and_puts()
    {
        const int count = 50_000;
        using var cache = new SpillingCache();
        cache.Table.Configure(cache.Table.Options with { MaxBytes = null });
        cache.Fill(count);
        using var isOver = new ManualResetEventSlim();
        Task reads = SideBySide.Start(() =>
        {
            for (int key = 0; !isOver.IsSet; key = (key + 7_919) % count)
                Assert.True(cache.Table.ContainsKey(key));
        });
        Task puts = SideBySide.Start(() =>
        {
            for (int key = count; !isOver.IsSet; key++)
                cache.Table.Put(key, SpillingCache.Value(key));
        });
        cache.Table.Configure(cache.Table.Options with { MaxEntries = 100 });
        isOver.Set();
        Task.WaitAll(reads, puts);
        Assert.InRange(cache.Table.Count, 1, 100);
        for (int key = 0; key < count; key += 17)
            Assert.Equal(SpillingCache.Value(key), cache.Table.Get(key));
    }

    [Fact]
    public void A_put_says_whether_the_key_was_there_wherever_it_was()
    {
        using var cache = new SpillingCache();
        cache.Fill();
        for (int key = 0; key < SpillingCache.Many; key += 11)
            Assert.Equal(PutResult.Replaced, cache.Table.Put(key, SpillingCache.Value(key, 1)));
        Assert.NotEqual(PutResult.Replaced, cache.Table.Put(-1, SpillingCache.Value(-1)));
    }

    [Fact]
    public void A_condition_holds_for_what_was_spilled()
    {
        using var cache = new SpillingCache();
        cache.Table.Put(-1, SpillingCache.Value(-1), null, out EntryInfo first);
        cache.Displace();
        Assert.False(cache.Table.Update(-1, SpillingCache.Value(-1, 1), version: 0, out _));
        Assert.False(cache.Table.Update(-1, SpillingCache.Value(-1, 1), first.Version + 1, out _));
        cache.Displace(2_000_000);
        Assert.True(cache.Table.Update(-1, SpillingCache.Value(-1, 2), first.Version, out EntryInfo second));
        cache.Displace(3_000_000);
        Assert.Equal(SpillingCache.Value(-1, 2), cache.Table.Get(-1));
        cache.Displace(4_000_000);
        Assert.False(cache.Table.Remove(-1, first.Version));
        Assert.True(cache.Table.Remove(-1, second.Version));
        Assert.True(cache.Table.Update(-1, SpillingCache.Value(-1, 3), version: 0, out _));
        Assert.Equal(SpillingCache.Value(-1, 3), cache.Table.Get(-1));
    }

    [Fact]
    public void A_factory_does_not_run_for_what_was_spilled()
    {
        using var cache = new SpillingCache();
        cache.Fill();
        for (int key = 0; key < SpillingCache.Many; key += 7)
        {
            byte[] value = cache.Table.GetOrAdd(key, static _ => throw new InvalidOperationException("It is there."));
            Assert.Equal(SpillingCache.Value(key), value);
        }
    }

    [Fact]
    public void Every_way_of_reading_finds_what_was_spilled()
    {
        using var cache = new SpillingCache();
        cache.Fill();
        var writer = new ArrayBufferWriter<byte>();
        for (int key = 0; key < 1_000; key += 10)
        {
            Assert.True(cache.Table.TryGetInfo(key, out EntryInfo info));
            Assert.Equal(SpillingCache.ValueBytes, info.ValueBytes);
            Assert.True(cache.Table.TryRead(key + 1, writer, out _));
            Assert.Equal(SpillingCache.Value(key + 1), writer.WrittenSpan);
            writer.ResetWrittenCount();
            Assert.True(cache.Table.TryLease(key + 2, out PileLease? lease, out _));
            using (lease)
                Assert.Equal(SpillingCache.Value(key + 2), lease.Memory.ToArray());
            Assert.True(cache.Table.TryGetPointer(key + 3, out PilePointer pointer));
            Assert.Equal(SpillingCache.Value(key + 3), cache.Cache.Pile.Get<byte[]>(pointer));
            var one = new byte[SpillingCache.ValueBytes];
            Assert.True(cache.Table.TryRead(key + 4, one, out _));
            Assert.Equal(SpillingCache.Value(key + 4), one);
        }
    }

    [Fact]
    public void Objects_and_text_come_back_as_they_were()
    {
        using var cache = new SpillingCache();
        CacheTable<string, object?> table = cache.Cache.GetOrCreateTable<string, object?>(
            new TableOptions("objects") { CollisionMode = CollisionMode.Durable, MaxBytes = 1 << 20 });
        object?[] values = ["text", "têxt" + new string('ü', 500), 17, null, new[] { 1, 2, 3 }, Guid.NewGuid(), new string('x', 900)];
        for (int i = 0; i < 20_000; i++)
            table.Put($"key {i}", values[i % values.Length]);
        Assert.NotEqual(0, table.Statistics.SpilledEntries);
        for (int i = 0; i < 20_000; i++)
            Assert.Equal(values[i % values.Length], table.Get($"key {i}"));
    }

    [Fact]
    public void Listeners_are_told_of_what_is_lost_only()
    {
        using var cache = new SpillingCache();
        var told = new List<RemovedEntry<int>>();
        cache.Table.EntriesRemoved += batch =>
        {
            lock (told)
                told.AddRange(batch);
        };
        cache.Fill();
        Eventually.True(() => cache.Cache.Pile.Engine.Background.IsIdle, "the deliveries end");
        Assert.Empty(told);
    }
}
