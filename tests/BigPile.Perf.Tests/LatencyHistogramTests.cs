using System;
using System.Linq;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Tests;

public sealed class LatencyHistogramTests
{
    [Fact]
    public void Percentiles_are_those_of_the_sorted_times_to_a_thirty_second()
    {
        int seed = TestLeg.Seed(5);
        var random = new Random(seed);
        long[] times = [.. Enumerable.Range(0, 20_000).Select(_ => (long)Math.Pow(10, random.NextDouble() * 8))];
        var histogram = new LatencyHistogram();
        foreach (long time in times)
            histogram.Add(time);
        Array.Sort(times);
        foreach (double share in new[] { 0.0001, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 1 })
        {
            long exact = times[(int)Math.Ceiling(share * times.Length) - 1];
            Assert.InRange(histogram.Percentile(share), exact, exact + exact / 32 + 1);
        }
        Assert.Equal(times[^1], histogram.MaxNs);
    }

    [Fact]
    public void Two_histograms_add_up()
    {
        var one = new LatencyHistogram();
        var two = new LatencyHistogram();
        one.Add(10);
        two.Add(20);
        one.Add(two);
        Assert.Equal((2, 20, 10, 20), (one.Count, one.MaxNs, one.Percentile(0.5), one.Percentile(1)));
    }

    [Theory]
    [InlineData(0.99)]
    [InlineData(0.5)]
    [InlineData(1.2)]
    public void A_skewed_order_favours_few_numbers_as_much_as_it_states(double skew)
    {
        const int Limit = 1000;
        const int Draws = 200_000;
        var order = new ZipfOrder(TestLeg.Seed(1), Limit, skew);
        var counts = new int[Limit];
        for (int i = 0; i < Draws; i++)
            counts[order.Next()]++;
        double zeta = Enumerable.Range(1, Limit).Sum(k => Math.Pow(k, -skew));
        Assert.InRange(counts.Max() / (double)Draws, 0.9 / zeta, 1.2 / zeta);
    }
}
