using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Recovery;

namespace BigPile.Caching.Tests.Rebuild;

/// <summary>The entries of each table that a walk expects, by its samples.</summary>
public sealed class EntryEstimateTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(1000)]
    [InlineData(30_001)]
    [InlineData(100_000)]
    public void Every_part_comes_once_and_the_samples_come_first(int parts)
    {
        var estimate = new EntryEstimate(parts);
        int[] order = [.. estimate.Order()];
        Assert.Equal(Enumerable.Range(0, parts), order.Order());
        int[] samples = [.. order.TakeWhile(part => estimate.SampleOf(part) >= 0)];
        Assert.Equal(Enumerable.Range(0, samples.Length), samples.Select(estimate.SampleOf));
        Assert.All(order.Skip(samples.Length), part => Assert.Equal(-1, estimate.SampleOf(part)));
        Assert.InRange(samples.Length, parts < 128 ? 0 : 64, parts < 128 ? 0 : 1024);
    }

    [Fact]
    public void A_table_that_lies_everywhere_is_known_nearly_to_its_size()
    {
        var random = new Random(TestLeg.Seed(1));
        Dictionary<int, int>[] parts =
            [.. Enumerable.Range(0, 1000).Select(_ => new Dictionary<int, int> { [1] = random.Next(9_000, 10_000) })];
        Assert.InRange(LeastOf(parts, 1), 9_000_000, 9_600_000);
    }

    [Fact]
    public void A_table_in_half_of_the_pile_is_known_nearly_to_its_size()
    {
        Dictionary<int, int>[] parts =
            [.. Enumerable.Range(0, 1000).Select(static part => new Dictionary<int, int> { [part / 500] = 100 })];
        Assert.InRange(LeastOf(parts, 0), 40_000, 52_000);
        Assert.InRange(LeastOf(parts, 1), 40_000, 52_000);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_table_in_few_parts_is_never_taken_for_a_large_one(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        for (int round = 0; round < 200; round++)
        {
            int count = random.Next(128, 5000);
            int length = random.Next(1, 1 + count / 10);
            int first = random.Next(count - length);
            Dictionary<int, int>[] parts = [.. Enumerable.Range(0, count).Select(
                part => part >= first && part < first + length ? new Dictionary<int, int> { [7] = 1000 } : [])];
            Assert.True(LeastOf(parts, 7) <= length * 1000L, $"seed {seed}, round {round}: {length} of {count} parts");
        }
    }

    private static long LeastOf(Dictionary<int, int>[] parts, int tableId)
    {
        var estimate = new EntryEstimate(parts.Length);
        int[] samples = [.. estimate.Order().TakeWhile(part => estimate.SampleOf(part) >= 0)];
        foreach (int part in samples)
            Assert.Equal(part == samples[^1], estimate.Add(estimate.SampleOf(part), parts[part]));
        Assert.False(estimate.Add(0, parts[0])); // a part that is walked through again
        return estimate.Least().FirstOrDefault(table => table.TableId == tableId).Entries;
    }
}
