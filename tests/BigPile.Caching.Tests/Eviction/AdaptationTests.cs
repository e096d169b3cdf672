using System;
using System.Collections.Generic;
using System.Linq;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Hit ratios of workloads that simple policies handle badly, and of workloads that change. In percentage points.</summary>
public sealed class AdaptationTests(ITestOutputHelper output)
{
    private const int Capacity = 1_000;

    [Theory]
    [InlineData(1, 1_050)]
    [InlineData(2, 1_250)]
    [InlineData(3, 4_000)]
    public void A_loop_longer_than_the_table_keeps_a_part_of_it(int seed, int length)
    {
        int[] keys = Loop(0, length, TestLeg.Steps(100_000, 200_000));
        (double table, double best, double optimum) = Compare(seed, keys);
        Assert.True(PolicyModels.Lru(keys, Capacity).Requests < 0.01, "What was used longest ago comes next, or this is no loop.");
        Assert.True(table > best + 0.02, $"seed {TestLeg.Seed(seed)}: {table:p} and {best:p}");
        Assert.True(table > optimum - 0.07, $"seed {TestLeg.Seed(seed)}: {table:p} of {optimum:p}");
    }

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    public void Another_workload_in_the_middle_is_learned(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        int[] first = Skewed(random, 0, 10_000, 100_000);
        int[] loop = Loop(50_000, 1_500, 100_000);
        int[] last = Skewed(random, 100_000, 10_000, 100_000);
        (double table, double best, _) = Compare(seed, [.. first, .. loop, .. last]);
        Assert.True(table > best + 0.1, $"seed {seed}: {table:p} and {best:p}");
        using var replayed = new ReplayedTable(Capacity, seed);
        replayed.Replay(first);
        replayed.Replay(loop);
        (double after, double alone) = (replayed.Replay(last), Best(last));
        output.WriteLine($"after the switch {after:p}, a new simple cache {alone:p}");
        Assert.True(after > alone - 0.03, $"seed {seed}: after the switch {after:p} and {alone:p}");
    }

    [Theory]
    [InlineData(21)]
    [InlineData(22)]
    public void A_new_working_set_just_below_the_capacity_takes_the_place_of_the_old_one(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        var keys = new List<int>();
        for (int set = 0; set < 4; set++)
        {
            for (int i = 0; i < 20_000; i++)
                keys.Add(set * 10_000 + random.Next(Capacity * 95 / 100));
        }
        (double table, double best, _) = Compare(seed, [.. keys]);
        Assert.True(table > best - 0.06, $"seed {seed}: {table:p} and {best:p}");
    }

    [Theory]
    [InlineData(31)]
    [InlineData(32)]
    public void A_scan_of_ten_capacities_leaves_a_hot_set_where_it_is(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        using var table = new ReplayedTable(Capacity, seed);
        double before = 0;
        for (int round = 0; round < 20; round++)
            before = table.Replay(Uniform(random, 0, 800, 2_000));
        table.Replay(Loop(1_000_000, 10 * Capacity, 10 * Capacity));
        double after = table.Replay(Uniform(random, 0, 800, 800));
        output.WriteLine($"before the scan {before:p}, after it {after:p}");
        Assert.True(before > 0.95 && after > 0.9 * before, $"seed {seed}: {before:p} before and {after:p} after");
    }

    [Theory]
    [InlineData(41)]
    [InlineData(42)]
    public void Sizes_of_one_to_a_thousand_are_worth_what_they_weigh(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        int[] weights = [.. Enumerable.Range(0, 20_000).Select(_ => (int)Math.Pow(1_000, random.NextDouble()))];
        int[] keys = Skewed(random, 0, weights.Length, 300_000);
        long capacity = weights.Sum(weight => (long)weight) / 20;
        using var table = new ReplayedTable(capacity, seed, key => weights[key]);
        long hitWeight = 0;
        long hits = 0;
        foreach (int key in keys)
        {
            if (!table.Access(key))
                continue;
            hits++;
            hitWeight += weights[key];
        }
        (double requests, double bytes) = ((double)hits / keys.Length, hitWeight / keys.Sum(key => (double)weights[key]));
        (double lruRequests, double lruBytes) = PolicyModels.Lru(keys, capacity, key => weights[key]);
        output.WriteLine($"requests {requests:p}, LRU {lruRequests:p}; bytes {bytes:p}, LRU {lruBytes:p}");
        Assert.True(requests > lruRequests + 0.05, $"seed {seed}: requests {requests:p} and {lruRequests:p}");
        Assert.True(bytes > lruBytes, $"seed {seed}: bytes {bytes:p} and {lruBytes:p}");
    }

    [Fact]
    public void A_heavy_newcomer_does_not_push_out_what_is_used()
    {
        const int Heavy = 1_000_000;
        int seed = TestLeg.Seed(51);
        var random = new Random(seed);
        int WeightOf(int key) => key >= Heavy ? Capacity / 4 : 1;
        var keys = new List<int>();
        for (int i = 0; i < 60_000; i++)
            keys.Add(i % 100 == 99 ? Heavy + i : random.Next(700));
        using var table = new ReplayedTable(Capacity, seed, WeightOf);
        double ratio = table.Replay(keys.ToArray());
        double lru = PolicyModels.Lru(keys.ToArray(), Capacity, WeightOf).Requests;
        output.WriteLine($"{ratio:p}, LRU {lru:p}");
        Assert.True(ratio > lru + 0.05, $"seed {seed}: {ratio:p} and {lru:p}");
    }

    // No old key returns; each new key comes twice, a number of keys apart.
    [Theory]
    [InlineData(53, 120)]
    [InlineData(54, 333)]
    [InlineData(55, 425)]
    public void A_small_queue_that_is_too_short_becomes_longer_where_the_main_queue_is_of_no_use(int seed, int between)
    {
        int[] keys = [.. Enumerable.Range(0, 150_000).Select(i => i % 2 == 0 ? i / 2 + between : i / 2)];
        (double table, double best, _) = Compare(seed, keys);
        Assert.True(best > 0.49, "All keys but the first come twice in the capacity.");
        Assert.True(table > best - 0.15, $"seed {TestLeg.Seed(seed)}: {table:p} and {best:p}");
    }

    [Theory]
    [InlineData(56)]
    [InlineData(57)]
    public void Scans_up_and_back_that_fit_are_hit_on_the_way_back(int seed)
    {
        const int Length = Capacity * 9 / 10;
        var keys = new List<int>();
        for (int scan = 0; scan < 60; scan++)
        {
            int[] up = Loop(scan * Capacity, Length, Length);
            keys.AddRange([.. up, .. up.Reverse()]);
        }
        (double table, double best, _) = Compare(seed, [.. keys]);
        Assert.True(table > best - 0.15, $"seed {TestLeg.Seed(seed)}: {table:p} and {best:p}");
    }

    [Theory]
    [InlineData(58)]
    [InlineData(59)]
    public void A_loop_is_learned_where_the_small_queue_had_nearly_all(int seed)
    {
        seed = TestLeg.Seed(seed);
        int[] twice = [.. Enumerable.Range(0, 150_000).Select(i => i % 2 == 0 ? i / 2 + 333 : i / 2)];
        int[] loop = Loop(1_000_000, 1_250, 200_000);
        using var replayed = new ReplayedTable(Capacity, seed);
        replayed.Replay(twice);
        (double table, double best) = (replayed.Replay(loop), Best(loop));
        output.WriteLine($"table {table:p}, the better of LRU and S3-FIFO, new, {best:p}");
        Assert.True(table > best - 0.05, $"seed {seed}: {table:p} and {best:p}");
    }

    [Theory]
    [InlineData(61)]
    [InlineData(62)]
    public void The_same_seed_gives_the_same_evictions(int seed)
    {
        seed = TestLeg.Seed(seed);
        int[] keys = Skewed(new Random(seed), 0, 8_000, 100_000);
        List<int> first = EvictionsOf(keys, seed);
        Assert.Equal(first, EvictionsOf(keys, seed));
        Assert.NotEqual(first, EvictionsOf(keys, seed + 1));
    }

    [Fact]
    public void What_is_remembered_takes_about_seven_bytes_an_entry_and_little_of_a_small_table()
    {
        using var large = new ReplayedTable(100_000, seed: 1);
        large.Replay(Loop(0, 300_000, 300_000));
        Assert.InRange(large.EvictionBytes, 100_000 * 11, 100_000 * 12); // four of them are the hash in its queue
        using var small = new ReplayedTable(20, seed: 1);
        small.Replay(Loop(0, 60, 1_000));
        Assert.InRange(small.EvictionBytes, 1, 16_000);
    }

    private static List<int> EvictionsOf(int[] keys, int seed)
    {
        using var table = new ReplayedTable(Capacity, seed);
        table.Replay(keys);
        return table.Evicted;
    }

    private (double Table, double Best, double Optimum) Compare(int seed, int[] keys)
    {
        using var replayed = new ReplayedTable(Capacity, TestLeg.Seed(seed));
        (double table, double best, double optimum) = (replayed.Replay(keys), Best(keys), PolicyModels.Optimum(keys, Capacity));
        output.WriteLine($"table {table:p}, the better of LRU and S3-FIFO {best:p}, optimum {optimum:p}");
        return (table, best, optimum);
    }

    private static double Best(int[] keys) => Math.Max(PolicyModels.Lru(keys, Capacity).Requests, PolicyModels.S3Fifo(keys, Capacity));

    private static int[] Loop(int first, int length, int count) => [.. Enumerable.Range(0, count).Select(i => first + i % length)];

    private static int[] Uniform(Random random, int first, int distinct, int count) =>
        [.. Enumerable.Range(0, count).Select(_ => first + random.Next(distinct))];

    // Approximately Zipf's law with exponent 1.
    private static int[] Skewed(Random random, int first, int distinct, int count) =>
        [.. Enumerable.Range(0, count).Select(_ => first + (int)Math.Pow(distinct, random.NextDouble()) - 1)];
}
