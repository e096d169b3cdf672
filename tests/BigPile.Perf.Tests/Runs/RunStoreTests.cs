using System;
using System.IO;
using System.Linq;
using System.Text;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Tests.Runs;

public sealed class RunStoreTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    private string FilePath => Path.Combine(_directory.Path, "run.json");

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void What_is_written_is_read_again_to_the_last_digit()
    {
        RunFile run = InventedRun.Of(7);
        RunStore.Write(FilePath, run);
        RunFile read = RunStore.Read(FilePath);
        Assert.Equal((run.Commit, run.StartedAt, run.Minutes, run.Machine), (read.Commit, read.StartedAt, read.Minutes, read.Machine));
        Assert.Equal(run.Options, read.Options);
        Assert.Equal(run.Charts.Select(WordsOf), read.Charts.Select(WordsOf));
        Assert.Equal(FiguresOf(run), FiguresOf(read));
        Assert.Equal(["run.json"], Directory.GetFiles(_directory.Path).Select(Path.GetFileName));
        Assert.Contains("\n  \"commit\": ", File.ReadAllText(FilePath));
    }

    [Theory]
    [InlineData("", "line 1")]
    [InlineData("not JSON", "line 1")]
    [InlineData("[1, 2]", "no number named format")]
    [InlineData("null", "no number named format")]
    [InlineData("{\"name\": \"package\"}", "no number named format")]
    [InlineData("{\"format\": \"1\"}", "no number named format")]
    [InlineData("{\"format\": 0}", "which there never was")]
    [InlineData("{\"format\": 1, \"commit\": null}", "commit")]
    public void What_is_no_run_is_refused_with_its_name_and_a_remedy(string text, string part) =>
        AssertRefused(text, part, "Name a file that report has written");

    [Fact]
    public void A_newer_form_is_refused_whatever_else_it_has() =>
        AssertRefused("{\"format\": 2, \"charts\": 5}", "format 2", "reads up to 1", "Use a console as new as the file");

    [Fact]
    public void A_truncated_file_is_refused_wherever_it_ends()
    {
        RunStore.Write(FilePath, ComparisonTests.Small([1.0, 2.0]));
        byte[] whole = File.ReadAllBytes(FilePath);
        for (int length = 0; length < whole.Length; length++)
            AssertRefused(Encoding.UTF8.GetString(whole, 0, length), ", line ");
    }

    [Theory]
    [InlineData("\"x\": 1,", "\"x\": \"1\",", "$.charts[0].series[0].points[0].x")]
    [InlineData("\"x\": 1,", "\"x\": 1e999,", "points[0]: x must be a finite number")]
    [InlineData("\"x\": 1,", "\"x\": 0,", "x must be above 0 on a logarithmic axis")]
    [InlineData("\"x\": 1,", "\"x\": 5,", "points[1]: x must rise")]
    [InlineData("\"x\": 1,", "\"y\": 1,", "'x'")]
    [InlineData("\"id\": \"pause\"", "\"id\": \"../pause\"", "the id '../pause' must be 1 to 64 small letters")]
    [InlineData("\"id\": \"pause\"", "\"id\": null", "$.charts[0]")]
    [InlineData("\"name\": \"pile\"", "\"name\": null", "$.charts[0].series[0]")]
    [InlineData("\"repeats\": \"5\"", "\"repeats\": null", "options, repeats: a text is needed")]
    [InlineData("\"minutes\": 41.7", "\"minutes\": -1", "minutes")]
    [InlineData("1.25", "1E+400", "each repeat must be a finite number")]
    [InlineData("1.25", "NaN", "line ")]
    [InlineData("\"cores\": 4", "\"cores\": 4.5", "$.machine.cores")]
    public void A_damaged_place_is_named(string text, string other, string part)
    {
        RunStore.Write(FilePath, ComparisonTests.Small([1.25, 2.0], [3.0]));
        string whole = File.ReadAllText(FilePath);
        Assert.Contains(text, whole);
        AssertRefused(whole.Replace(text, other, StringComparison.Ordinal), part);
    }

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    [InlineData(double.NegativeInfinity)]
    public void A_figure_that_is_no_number_is_not_written(double figure)
    {
        LoadException error = Assert.Throws<LoadException>(() => RunStore.Write(FilePath, ComparisonTests.Small([1.0], [2.0, figure])));
        Assert.All([FilePath, "chart 'pause', series 'pile', points[1]", "finite"], part => Assert.Contains(part, error.Message));
        Assert.Empty(Directory.GetFiles(_directory.Path));
    }

    [Fact]
    public void Nulls_and_names_that_are_there_twice_are_found()
    {
        RunFile run = ComparisonTests.Small([1.0]);
        RunChart chart = run.Charts[0];
        Assert.Null(RunCheck.FindFault(run));
        Assert.Contains("'pause' is there twice", RunCheck.FindFault(run with { Charts = [chart, chart] }));
        RunSeries[] twice = [chart.Series[0], chart.Series[0]];
        Assert.Contains("'pile' is there twice", RunCheck.FindFault(run with { Charts = [chart with { Series = twice }] }));
        Assert.Contains("charts[0]", RunCheck.FindFault(run with { Charts = [null!] }));
        Assert.Contains("series[0]", RunCheck.FindFault(run with { Charts = [chart with { Series = [null!] }] }));
        RunSeries empty = chart.Series[0] with { Points = [new RunPoint(1, [])] };
        Assert.Contains("one repeat or more", RunCheck.FindFault(run with { Charts = [chart with { Series = [empty] }] }));
    }

    private static object WordsOf(RunChart chart) => (chart.Id, chart.Title, chart.HowMade, chart.X, chart.Y, chart.MoreIsBetter);

    private static double[] FiguresOf(RunFile run) =>
        [.. run.Charts.SelectMany(static chart => chart.Series).SelectMany(static series => series.Points).SelectMany(
            static point => point.Repeats.Prepend(point.X))];

    private void AssertRefused(string text, params string[] parts)
    {
        File.WriteAllText(FilePath, text);
        LoadException error = Assert.Throws<LoadException>(() => RunStore.Read(FilePath));
        Assert.All([FilePath, .. parts], part => Assert.Contains(part, error.Message));
        Assert.DoesNotContain("LineNumber", error.Message);
    }
}
