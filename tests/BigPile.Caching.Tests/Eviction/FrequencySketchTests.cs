using System;
using System.Linq;
using BigPile.Caching.Eviction.Policies;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>The sketch beside an exact count of the same additions.</summary>
public sealed class FrequencySketchTests
{
    private const int AdditionsPerEntry = 10; // after which all is halved

    [Theory]
    [InlineData(1, 200)]
    [InlineData(2, 5_000)]
    [InlineData(3, 70_000)] // halved in parts
    public void An_estimate_is_never_below_the_count_and_seldom_above(int seed, int capacity)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        using var sketch = new FrequencySketch();
        sketch.Reserve(capacity);
        uint[] hashes = [.. Enumerable.Range(0, capacity).Select(_ => (uint)random.NextInt64(uint.MaxValue)).Distinct()];
        int[] counts = new int[hashes.Length];
        int additions = (AdditionsPerEntry - 1) * capacity / 3;
        for (int i = 0; i < additions; i++)
        {
            int which = (int)Math.Pow(hashes.Length, random.NextDouble()) - 1;
            sketch.Add(hashes[which]);
            counts[which]++;
        }
        sketch.CheckInvariants($"seed {seed}");
        int above = 0;
        for (int i = 0; i < hashes.Length; i++)
        {
            int exact = Math.Min(counts[i], FrequencySketch.MaxEstimate);
            int estimate = sketch.Estimate(hashes[i]);
            Assert.True(estimate >= exact, $"seed {seed}: {estimate} of {counts[i]}");
            above += estimate > exact ? 1 : 0;
        }
        Assert.True(above < hashes.Length / 3, $"seed {seed}: {above} of {hashes.Length} are above");
    }

    [Theory]
    [InlineData(11, 100)]
    [InlineData(12, 30_000)]
    [InlineData(13, 200_000)]
    public void What_no_longer_comes_is_forgotten(int seed, int capacity)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        using var sketch = new FrequencySketch();
        sketch.Reserve(capacity);
        for (int i = 0; i < FrequencySketch.MaxEstimate; i++)
            sketch.Add(7);
        Assert.Equal(FrequencySketch.MaxEstimate, sketch.Estimate(7));
        int before = FrequencySketch.MaxEstimate;
        int falls = 0;
        for (int i = 0; i < 3 * AdditionsPerEntry * capacity; i++)
        {
            sketch.Add((uint)random.NextInt64(uint.MaxValue));
            int estimate = sketch.Estimate(7);
            falls += estimate < before ? 1 : 0;
            before = estimate;
            if (i % 4_096 == 0)
                InvariantChecks.At($"seed {seed}, addition {i}", () => sketch.CheckInvariants("sketch"));
        }
        Assert.InRange(falls, 3, 6);
        Assert.True(before < FrequencySketch.MaxEstimate, $"seed {seed}: {before}");
    }

    [Fact]
    public void Without_memory_it_estimates_nothing_and_growth_keeps_the_counts()
    {
        using var sketch = new FrequencySketch();
        sketch.Add(7);
        Assert.Equal((0, 0), (sketch.Estimate(7), sketch.SizeBytes));
        Assert.True(sketch.Reserve(10_000));
        sketch.Add(7);
        Assert.Equal(1, sketch.Estimate(7));
        Assert.InRange(sketch.SizeBytes, 30_000, 33_000);
        long neededBytes = sketch.NeededBytes(100_000);
        Assert.False(sketch.Reserve(100_000));
        Assert.Equal((1, neededBytes), (sketch.Estimate(7), sketch.SizeBytes));
        sketch.CheckInvariants("a larger sketch");
        Assert.True(sketch.Reserve(100));
        Assert.Equal(0, sketch.Estimate(7));
    }
}
