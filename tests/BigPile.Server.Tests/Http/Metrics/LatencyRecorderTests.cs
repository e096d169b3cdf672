using System;
using System.Linq;
using BigPile.Http.Metrics;

namespace BigPile.Server.Tests.Http.Metrics;

public sealed class LatencyRecorderTests
{
    [Fact]
    public void Quantiles_are_at_most_a_sixteenth_too_high()
    {
        int seed = TestLeg.Seed(7);
        var random = new Random(seed);
        long[] times = [.. Enumerable.Range(0, 10_000).Select(_ => (long)Math.Exp(random.NextDouble() * 25))];
        var recorder = new LatencyRecorder();
        foreach (long time in times)
            recorder.Add(time);
        Array.Sort(times);
        LatencyReport report = recorder.Take()!;
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
        var recorder = new LatencyRecorder();
        Assert.Null(recorder.Take());
        recorder.Add(0);
        recorder.Add(long.MaxValue);
        recorder.Add(-5);
        Assert.Equal(3, recorder.Take()!.Count);
        Assert.Null(recorder.Take());
    }
}
