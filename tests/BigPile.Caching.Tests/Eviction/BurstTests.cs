using System;
using System.Collections.Generic;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Keys that are used twice at a distance, and hardly again: what was used twice is of no use in the main queue.</summary>
public sealed class BurstTests(ITestOutputHelper output)
{
    private const double MostBelowLru = 0.03;
    private const double UsedAgain = 0.05;

    [Theory]
    [InlineData(1_000, 0.01)]
    [InlineData(1_000, 0.1)]
    [InlineData(1_000, 0.45)]
    [InlineData(10_000, 0.1)]
    [InlineData(10_000, 0.2)]
    [InlineData(10_000, 0.3)]
    [InlineData(10_000, 0.45)]
    public void Bursts_of_two_come_to_be_kept_as_by_a_least_recently_used_cache(int capacity, double distance)
    {
        int seed = TestLeg.Seed(1);
        int[] keys = Bursts(new Random(seed), 60 * capacity, (int)(distance * capacity));
        int[] before = keys[..(keys.Length / 2)];
        using var table = new ReplayedTable(capacity, seed);
        table.Replay(before);
        double ratio = table.Replay(keys.AsSpan(before.Length));
        double lru = 2 * PolicyModels.Lru(keys, capacity).Requests - PolicyModels.Lru(before, capacity).Requests;
        output.WriteLine($"{ratio:p}, LRU {lru:p}");
        Assert.True(ratio > lru - MostBelowLru, $"seed {seed}: {ratio:p} and {lru:p}");
    }

    private static int[] Bursts(Random random, int count, int distance)
    {
        var keys = new List<int>(count);
        var begun = new List<int>();
        for (int next = 0; keys.Count < count;)
        {
            int key = next > 100 && random.NextDouble() < UsedAgain ? random.Next(next) : next++;
            keys.Add(key);
            begun.Add(key);
            if (begun.Count > distance)
                keys.Add(begun[^(distance + 1)]);
        }
        return [.. keys[..count]];
    }
}
