using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Runs;
using BigPile.Perf.Runs.Comparison;

namespace BigPile.Perf.Tests.Runs;

/// <summary>What is a change, and what is noise: by simulated pairs of runs, each from its seed.</summary>
public sealed class ComparisonTests
{
    private const double Loss = 10;
    private const int Pairs = 200;

    // Of the same code, with few repeats and much noise.
    private static readonly Lazy<RunComparison[]> NoisyPairs =
        new(static () => [.. Seeds().Select(static seed => Compare(seed, 3, 0.10, 0.03))]);

    [Theory]
    [InlineData(3, 0.10, 0.03)]
    [InlineData(5, 0.10, 0.03)]
    [InlineData(5, 0.05, 0.04)]
    [InlineData(7, 0.01, 0.02)]
    public void Two_runs_of_the_same_code_are_not_told_apart(int repeats, double noise, double drift)
    {
        IEnumerable<RunComparison> comparisons = (repeats, noise, drift) == (3, 0.10, 0.03)
            ? NoisyPairs.Value
            : Seeds().Select(seed => Compare(seed, repeats, noise, drift));
        int[] wrong = [.. Seeds().Zip(comparisons).Where(static one => ChangedIn(one.Second).Length > 0).Select(static one => one.First)];
        Assert.True(wrong.Length <= Pairs / 100, $"{wrong.Length} of {Pairs}: seeds {string.Join(", ", wrong)}");
    }

    // The control: judged by points, or by means without errors, the same pairs would show many losses.
    [Fact]
    public void Without_statistics_they_would_be_told_apart()
    {
        RunComparison[] comparisons = NoisyPairs.Value;
        Assert.InRange(comparisons.Count(static one => Own(one).Any(static series => series.Points.Any(SeemsLost))), Pairs * 9 / 10, Pairs);
        Assert.InRange(comparisons.Count(static one => Own(one).Any(static series => series.Ratio < 0.9)), Pairs / 4, Pairs);

        static bool SeemsLost(PointRatio point) => point.Ratio < 0.9;
    }

    [Theory]
    [InlineData("get-at-random", "native", 0.8)]
    [InlineData("pause", "pile", 1.2)]
    [InlineData("latency", "p99", 1.2)]
    [InlineData("requests", "1 KiB", 0.8)]
    public void A_path_that_is_slower_by_a_fifth_is_found_and_no_other(string chart, string series, double factor)
    {
        string[][] lost = [.. Seeds().Take(Pairs / 2).Select(seed => LostIn(Compare(seed, 5, 0.05, 0, Slower)))];
        int found = lost.Count(names => names.Contains($"{chart}: {series}"));
        Assert.True(found >= 97, $"found in {found} of {lost.Length}");
        Assert.True(lost.Count(static names => names.Length > 1) <= 1);

        double Slower(string itsChart, string itsSeries, double x) => itsChart == chart && itsSeries == series ? factor : 1;
    }

    [Fact]
    public void What_got_better_is_said_and_is_no_loss()
    {
        RunComparison comparison = Compare(4, 5, 0.05, 0, static (chart, series, _) => (chart, series) == ("pause", "pile") ? 0.7 : 1);
        SeriesComparison pause = Assert.Single(Own(comparison), static one => one.Verdict != Verdict.WithinNoise);
        Assert.Equal(("pause", "pile", Verdict.Better, false), (pause.Chart, pause.Series, pause.Verdict, pause.IsLoss));
        Assert.InRange(pause.Ratio!.Value, 1.35, 1.5);
    }

    [Fact]
    public void A_change_is_no_loss_where_more_is_allowed()
    {
        static double Slower(string chart, string series, double x) => chart == "put" ? 0.7 : 1;
        RunComparison comparison = RunComparer.Compare(InventedRun.Of(1), InventedRun.Of(2, change: Slower), lossPercent: 50);
        Assert.Equal(3, Own(comparison).Count(static one => one is { Verdict: Verdict.Worse, IsLoss: false }));
        Assert.Empty(LostIn(comparison));
    }

    [Fact]
    public void A_machine_that_changed_is_seen_by_the_baselines_and_makes_all_less_sure()
    {
        RunFile slow = InventedRun.Of(2, change: static (chart, _, _) => IsTimeOrMemory(chart) ? 1.25 : 0.8);
        RunComparison comparison = RunComparer.Compare(InventedRun.Of(1), slow, Loss);
        Assert.Equal(1, comparison.Control.Series);
        Assert.InRange(comparison.Control.Ratio, 0.77, 0.83);
        Assert.InRange(comparison.Control.AllowancePercent, 18, 26);
        Assert.All(Own(comparison), static one => Assert.Equal(Verdict.TooNoisyToTell, one.Verdict));

        static bool IsTimeOrMemory(string chart) => chart is "pause" or "memory" or "latency" or "open";
    }

    [Fact]
    public void One_repeat_of_one_point_tells_nothing_and_equal_figures_tell_that_nothing_changed()
    {
        RunComparison once = RunComparer.Compare(Small([10.0]), Small([20.0]), Loss);
        Assert.Equal((Verdict.TooNoisyToTell, null), (once.Series[0].Verdict, once.Series[0].Ratio));
        RunComparison same = RunComparer.Compare(Small([10.0, 10.0]), Small([10.0, 10.0]), Loss);
        Assert.Equal((Verdict.WithinNoise, 1.0), (same.Series[0].Verdict, same.Series[0].Ratio));
        RunComparison exact = RunComparer.Compare(Small([10.0, 10.0]), Small([13.0, 13.0]), Loss);
        Assert.True(exact.Series[0].IsLoss);
    }

    [Fact]
    public void A_point_at_zero_has_no_ratio_and_harms_no_other()
    {
        RunComparison comparison = RunComparer.Compare(Small([0.0, 1.0], [10.0, 10.1]), Small([5.0, 5.0], [10.0, 10.1]), Loss);
        Assert.Equal([null, 1.0], comparison.Series[0].Points.Select(static point => point.Ratio));
        Assert.Equal(Verdict.WithinNoise, comparison.Series[0].Verdict);
    }

    // The first run has charts, and the second has one of them, with another series and a slightly shifted point.
    [Fact]
    public void What_only_one_of_them_has_is_named()
    {
        RunFile a = InventedRun.Of(1);
        RunChart pause = a.Charts[0];
        RunPoint[] points = [.. pause.Series[1].Points.Take(2).Select(static one => one with { X = one.X * 1.004 })];
        RunSeries changed = pause.Series[1] with { Points = points };
        RunFile b = a with { Charts = [pause with { Series = [changed, changed with { Name = "shared pile" }] }] };
        RunComparison comparison = RunComparer.Compare(a, b, Loss);
        Assert.Equal(2, Assert.Single(comparison.Series).Points.Count);
        Assert.Equal(["pause: shared pile"], comparison.OnlyInB);
        Assert.Contains("pause: managed heap", comparison.OnlyInA);
        Assert.Equal((0, 3.0), (comparison.Control.Series, comparison.Control.AllowancePercent));
    }

    [Fact]
    public void Runs_that_count_differently_are_refused()
    {
        RunFile a = Small([1.0, 1.0]);
        RunChart chart = a.Charts[0];
        AssertRefused(a with { Charts = [chart with { Y = chart.Y with { Unit = "us" } }] }, "'ms'", "'us'");
        AssertRefused(a with { Charts = [chart with { MoreIsBetter = true }] }, "more is better in one");
        AssertRefused(a with { Charts = [chart with { Id = "other" }] }, "in common");

        void AssertRefused(RunFile b, params string[] parts)
        {
            LoadException error = Assert.Throws<LoadException>(() => RunComparer.Compare(a, b, Loss));
            Assert.All([.. parts, "Compare runs of one set"], part => Assert.Contains(part, error.Message));
        }
    }

    internal static RunFile Small(params double[][] repeats)
    {
        RunFile run = InventedRun.Of();
        RunChart pause = run.Charts[0];
        RunPoint[] points = [.. repeats.Select(static (figures, i) => new RunPoint(i + 1, figures))];
        return run with { Charts = [pause with { Series = [new RunSeries("pile", false, points)] }] };
    }

    private static IEnumerable<int> Seeds() => Enumerable.Range(0, Pairs).Select(static pair => 2 * pair);

    private static RunComparison Compare(
        int seed, int repeats, double noise, double drift, Func<string, string, double, double>? change = null) =>
        RunComparer.Compare(InventedRun.Of(seed, repeats, noise, drift), InventedRun.Of(seed + 1, repeats, noise, drift, change), Loss);

    private static IEnumerable<SeriesComparison> Own(RunComparison comparison) =>
        comparison.Series.Where(static series => series.Verdict != Verdict.Control);

    private static SeriesComparison[] ChangedIn(RunComparison comparison) =>
        [.. comparison.Series.Where(static one => one.Verdict is Verdict.Better or Verdict.Worse)];

    private static string[] LostIn(RunComparison comparison) =>
        [.. comparison.Series.Where(static one => one.IsLoss).Select(static one => $"{one.Chart}: {one.Series}")];
}
