using System;
using System.Collections.Generic;
using System.Linq;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Values of another size come when a table is full: the claim of what is not used ages, whatever its size.</summary>
public sealed class SizeShiftTests(ITestOutputHelper output)
{
    private const int Mebibyte = 1 << 20;
    private const double MostBelowLru = 0.03;

    [Theory]
    [InlineData(1, 10_000, 20, 10_000)]
    [InlineData(4, 40_000, 20, 100_000)]
    [InlineData(48, 420_000, 200, 100_000)]
    public void A_loop_of_large_values_takes_the_place_of_small_ones_that_nobody_reads(int mebibytes, int small, int large, int largeBytes)
    {
        const int RoundsToLearn = 40;
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable() with { MaxBytes = mebibytes * Mebibyte });
        for (int key = 0; key < small; key++)
            table.PutBytes(-1 - key, new byte[100], out _);
        var value = new byte[largeBytes];
        int HitsOfRound() => Enumerable.Range(0, large).Count(key => GetOrPut(table, key, value));
        int[] hits = [.. Enumerable.Range(0, RoundsToLearn + 1).Select(_ => HitsOfRound())];
        output.WriteLine(string.Join(' ', hits));
        Assert.Equal(large, hits[^1]);
        table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(1_000, 0.3)]
    [InlineData(1_000, 0.9)]
    [InlineData(10_000, 0.5)]
    [InlineData(100_000, 0.6)]
    [InlineData(100_000, 0.93)]
    public void After_small_ones_that_are_not_read_a_loop_is_kept_as_by_a_least_recently_used_cache(int weight, double share)
    {
        const int Capacity = 8_000_000;
        const int Small = 80_000;
        int length = (int)(Capacity * share / weight);
        int[] before = [.. Enumerable.Range(0, Small), .. Loop(length, 10)];
        Compare(1, Capacity, key => key < Small ? 100 : weight, before, [.. Loop(length, 10)]);

        static IEnumerable<int> Loop(int length, int rounds) => Enumerable.Range(0, rounds * length).Select(i => Small + i % length);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_working_set_of_another_size_is_learned(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        const int Capacity = 4_000_000;
        int[] Small(int count) => [.. Enumerable.Range(0, count).Select(_ => random.Next(20_000))];
        int[] Large(int count) => [.. Enumerable.Range(0, count).Select(_ => 1_000_000 + random.Next(180))];
        int WeightOf(int key) => key < 1_000_000 ? 190 : 20_000;
        Compare(seed, Capacity, WeightOf, [.. Small(200_000), .. Large(20_000)], Large(10_000));
        Compare(seed, Capacity, WeightOf, [.. Large(20_000), .. Small(200_000)], Small(100_000));
        Compare(seed, Capacity, WeightOf, [.. Small(200_000), .. Large(20_000), .. Small(200_000)], Small(100_000));
    }

    [Theory]
    [InlineData(1, 5_000)]
    [InlineData(2, 50_000)]
    public void A_scan_of_large_ones_leaves_small_ones_that_are_used_where_they_are(int seed, int weight)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        const int Capacity = 2_000_000;
        int scanned = 0;
        int[] Round() =>
        [
            .. Enumerable.Range(0, 20_000).Select(_ => (int)Math.Pow(15_000, random.NextDouble())),
            .. Enumerable.Range(0, Capacity / 2 / weight).Select(_ => 1_000_000 + scanned++),
        ];
        int[] before = [.. Enumerable.Range(0, 10).SelectMany(_ => Round())];
        int[] after = [.. Enumerable.Range(0, 10).SelectMany(_ => Round())];
        Compare(seed, Capacity, key => key < 1_000_000 ? 200 : weight, before, after);
    }

    private static bool GetOrPut(CacheTable<int, byte[]> table, int key, byte[] value)
    {
        if (table.TryGetInfo(key, out _))
            return true;
        table.PutBytes(key, value, out _);
        return false;
    }

    private void Compare(int seed, int capacity, Func<int, int> weightOf, int[] before, int[] after)
    {
        using var table = new ReplayedTable(capacity, seed, weightOf);
        table.Replay(before);
        double ratio = table.Replay(after);
        double lruBefore = PolicyModels.Lru(before, capacity, weightOf).Requests * before.Length;
        double lruInAll = PolicyModels.Lru([.. before, .. after], capacity, weightOf).Requests * (before.Length + after.Length);
        double lru = (lruInAll - lruBefore) / after.Length;
        output.WriteLine($"{ratio:p}, LRU {lru:p}");
        Assert.True(ratio > lru - MostBelowLru, $"seed {seed}: {ratio:p} and {lru:p}");
    }
}
