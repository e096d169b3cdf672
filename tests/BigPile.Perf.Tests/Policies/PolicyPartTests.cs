using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Policies;

namespace BigPile.Perf.Tests.Policies;

/// <summary>What the policies are made of.</summary>
public sealed class PolicyPartTests
{
    [Fact]
    public void The_sketch_counts_to_fifteen_and_knows_no_key_less_often_than_it_came()
    {
        var sketch = new FrequencySketch(entries: 1000, seed: 1);
        for (int key = 0; key < 100; key++)
        {
            for (int i = 0; i < key % 20; i++)
                sketch.Add(key);
        }
        Assert.All(Enumerable.Range(0, 100), key => Assert.InRange(sketch.Estimate(key), System.Math.Min(15, key % 20), 15));
        Assert.True(Enumerable.Range(0, 100).Count(key => sketch.Estimate(key) == System.Math.Min(15, key % 20)) > 90);
        Assert.True(Enumerable.Range(1000, 1000).Count(key => sketch.Estimate(key) == 0) > 900);
    }

    [Fact]
    public void The_sketch_halves_all_after_ten_additions_an_entry()
    {
        var sketch = new FrequencySketch(entries: 100, seed: 1);
        for (int i = 0; i < 12; i++)
            sketch.Add(7);
        for (int key = 1000; key < 1000 + 987; key++)
            sketch.Add(key);
        Assert.InRange(sketch.Estimate(7), 12, 15);
        int[] before = [.. Enumerable.Range(0, 3000).Select(sketch.Estimate)];
        sketch.Add(5000);
        // what shares its counters with the last key had one more
        Assert.InRange(Enumerable.Range(0, 3000).Count(key => sketch.Estimate(key) != before[key] / 2), 0, 30);
        Assert.InRange(sketch.Estimate(7), 6, 7);
    }

    // 160 entries: a sample has 1,600 accesses, and the first step is 10 down. As long as it gains, on by 0.98 of it; when it loses, back.
    [Fact]
    public void The_climber_goes_on_while_it_gains_and_turns_when_it_loses()
    {
        var climber = new HillClimber(160);
        Assert.Equal(-10, Sample(climber, hits: 400)); // 25 %, where 0 was
        Assert.Equal(-10, Sample(climber, hits: 440)); // gained 2.5 points; the large change before had begun anew
        Assert.Equal(9, Sample(climber, hits: 420)); // lost
        Assert.Equal(-9, Sample(climber, hits: 100)); // lost more than 5 points: large steps again
        Assert.Equal(-10, Sample(climber, hits: 100));
    }

    [Fact]
    public void The_set_of_positions_is_a_set_that_knows_its_largest()
    {
        foreach (int limit in new[] { 1, 64, 65, 4096, 4097, 300_000 })
        {
            var random = new System.Random(limit);
            var model = new SortedSet<int>();
            var set = new PositionSet(limit);
            for (int i = 0; i < 2000; i++)
            {
                int number = i == 0 ? limit - 1 : random.Next(limit);
                if (model.Remove(number))
                    set.Remove(number);
                else if (model.Add(number))
                    set.Add(number);
                Assert.Equal(model.Count == 0, set.IsEmpty);
                if (model.Count != 0)
                    Assert.Equal(model.Max, set.Max);
            }
        }
    }

    private static long Sample(HillClimber climber, int hits)
    {
        for (int i = 0; i < 1599; i++)
            Assert.Equal(0, climber.Note(i < hits));
        return climber.Note(isHit: false);
    }
}
