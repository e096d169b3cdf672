using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;
using BigPile.Perf.Standard;

namespace BigPile.Perf.Tests;

public sealed class StandardSetTests
{
    private const long Gibibyte = 1L << 30;

    [Fact]
    public void Figures_at_one_place_are_repetitions_and_places_rise()
    {
        var book = new FigureBook();
        book.Add("c", "ours", isBaseline: false, 20, 1);
        book.Add("c", "theirs", isBaseline: true, 10, 2);
        book.Add("c", "ours", isBaseline: false, 10, 3);
        book.Add("c", "ours", isBaseline: false, 20, 4);
        RunChart chart = book.ToChart(Head("c"))!;
        Assert.Equal(["ours", "theirs"], chart.Series.Select(static series => series.Name));
        Assert.Equal([false, true], chart.Series.Select(static series => series.IsBaseline));
        Assert.Equal([10, 20], chart.Series[0].Points.Select(static point => point.X));
        Assert.Equal([3], chart.Series[0].Points[0].Repeats);
        Assert.Equal([1, 4], chart.Series[0].Points[1].Repeats);
        Assert.Null(book.ToChart(Head("another")));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(22)]
    [InlineData(200)]
    public void No_load_is_planned_that_does_not_fit(int gibibytes)
    {
        var budget = new StandardBudget(gibibytes * Gibibyte, gibibytes * Gibibyte, cores: 2, quick: false);
        string[] titles = [.. StandardSet.Parts([]).SelectMany(part => part.Steps(budget)).Select(static step => step.Title)];
        Assert.Equal(gibibytes >= 15, titles.Contains("pause: 50,000,000 persons in the heap"));
        Assert.Equal(gibibytes >= 8, titles.Contains("pause: 50,000,000 persons in the pile"));
        Assert.Contains("pause: 1,000,000 persons in the heap", titles);
        Assert.Equal(titles.Length, titles.Distinct().Count());
        const string LeftOut = "pause: 50,000,000 persons in the heap: needs 10.7 GiB of memory";
        Assert.Equal(gibibytes < 15, budget.LeftOut.Any(static text => text.StartsWith(LeftOut, StringComparison.Ordinal)));
    }

    [Fact]
    public void A_quick_set_is_smaller_and_has_the_same_charts()
    {
        var quick = new StandardBudget(22 * Gibibyte, 50 * Gibibyte, cores: 2, quick: true);
        var full = new StandardBudget(22 * Gibibyte, 50 * Gibibyte, cores: 2, quick: false);
        Assert.InRange(CountSteps(quick), 5, CountSteps(full) - 1);
        Assert.Equal(IdsOf(full), IdsOf(quick));
        Assert.Equal(IdsOf(full).Count, IdsOf(full).Distinct().Count());
        Assert.Empty(quick.LeftOut);
    }

    [Fact]
    public void The_largest_size_is_most_of_the_memory()
    {
        var budget = new StandardBudget(22 * Gibibyte, 50 * Gibibyte, cores: 2, quick: false);
        Assert.Equal("size: 8,192 MiB", new SizePart().Steps(budget).Last().Title);
    }

    [Fact]
    public void Each_figure_has_as_many_repeats_as_were_asked_for_and_the_run_says_how_it_was_made()
    {
        var progress = new RecordedProgress();
        RunFile run = StandardSet.Run(new StandardSetOptions { Repeats = 2 }, [new SmallPart()], progress, CancellationToken.None);
        RunChart chart = Assert.Single(run.Charts);
        RunSeries series = Assert.Single(chart.Series);
        Assert.Equal([1, 2], series.Points.Select(static point => point.X));
        Assert.All(series.Points, static point => Assert.Equal(2, point.Repeats.Count));
        Assert.All(series.Points.SelectMany(static point => point.Repeats), static figure => Assert.InRange(figure, 1, 1e10));
        Assert.Equal(("no", "2", "small"), (run.Options["quick"], run.Options["repeats"], run.Options["parts"]));
        Assert.Equal(4, progress.Phases.Count);
        Assert.Equal("1 of 4, round 1 of 2: one", progress.Phases[0]);
        Assert.Equal("4 of 4, round 2 of 2: two", progress.Phases[3]);
        Assert.NotEqual("", run.Commit);
        Assert.Equal(Environment.ProcessorCount, run.Machine.Cores);
    }

    [Fact]
    public void A_load_that_fails_is_named()
    {
        LoadException error = Assert.Throws<LoadException>(() =>
            StandardSet.Run(new StandardSetOptions { Repeats = 1 }, [new SmallPart("-1")], new NoProgress(), CancellationToken.None));
        Assert.StartsWith("one: The second process ended with code 1", error.Message);
    }

    [Fact]
    public void A_run_that_is_stopped_ends()
    {
        using var stop = new CancellationTokenSource();
        stop.Cancel();
        Assert.Throws<OperationCanceledException>(() =>
            StandardSet.Run(new StandardSetOptions { Quick = true }, new NoProgress(), stop.Token));
    }

    private static int CountSteps(StandardBudget budget) => StandardSet.Parts([]).Sum(part => part.Steps(budget).Count());

    private static List<string> IdsOf(StandardBudget budget) =>
        [.. StandardSet.Parts([]).SelectMany(part => part.Charts(budget)).Select(static head => head.Id)];

    private static ChartHead Head(string id)
    {
        var axis = new RunAxis("axis", "", IsLogarithmic: false);
        return new ChartHead(id, "title", "made", axis, axis, MoreIsBetter: true);
    }

    private sealed class SmallPart(string operations = "1000") : IStandardPart
    {
        public string Name => "small";

        public IReadOnlyList<ChartHead> Charts(StandardBudget budget) => [Head("small"), Head("never measured")];

        public IEnumerable<StandardStep> Steps(StandardBudget budget) =>
            [new StandardStep("one", step => Measure(step, 1)), new StandardStep("two", step => Measure(step, 2))];

        private void Measure(StepContext step, int mebibytes)
        {
            string[] arguments =
                ["scale", "--store", "mapped", "--mebibytes", mebibytes.ToString(CultureInfo.InvariantCulture), "--operations", operations];
            step.Add("small", "ours", mebibytes, step.MeasureMapped(JsonReport.Default.ScaleReport, arguments).GetPerSecond);
        }
    }

    private sealed class RecordedProgress : ILoadProgress
    {
        internal List<string> Phases { get; } = [];

        public void Begin(string phase, long total) => Phases.Add(phase);

        public void Report(long done)
        {
        }
    }
}
