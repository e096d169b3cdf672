using System;
using System.Linq;
using BigPile.Http.Metrics;

namespace BigPile.Http.Tests.Metrics;

public sealed class LatencyHistogramTests
{
    [Fact]
    public void Quantiles_are_at_most_a_sixteenth_too_high()
    {
        int seed = TestLeg.Seed(7);
        var random = new Random(seed);
        long[] times = [.. Enumerable.Range(0, 10_000).Select(_ => (long)Math.Exp(random.NextDouble() * 25))];
        var histogram = new LatencyHistogram();
        foreach (long time in times)
            histogram.Add(time);
        Array.Sort(times);
        LatencyReport report = histogram.Take()!;
        Assert.Equal(times.Length, report.Count);
        foreach ((double share, double found) in new[] { (0.5, report.P50Us), (0.9, report.P90Us), (0.99, report.P99Us),
            (1.0, report.MaxUs) })
        {
            double exact = times[(int)Math.Ceiling(times.Length * share) - 1] / 1000.0;
            Assert.True(found >= exact && found <= exact * 1.0626, $"seed {seed}, share {share}: {found} for {exact}");
        }
    }

    [Fact]
    public void What_was_taken_begins_anew()
    {
        var histogram = new LatencyHistogram();
        Assert.Null(histogram.Take());
        histogram.Add(0);
        histogram.Add(long.MaxValue);
        histogram.Add(-5);
        Assert.Equal(3, histogram.Take()!.Count);
        Assert.Null(histogram.Take());
    }
}
