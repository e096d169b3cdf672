using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Perf.Charts;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Tests.Runs;

public sealed class ReportCommandTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_report_is_drawn_again_from_its_file()
    {
        string file = Write("run.json", InventedRun.Of());
        string target = Path.Combine(_directory.Path, "new", "report");
        ConsoleRun run = await ConsoleRun.Of($"report --from {file} --out {target}");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] expected = ["report.html", .. InventedRun.Of().Charts.Select(static chart => chart.Id + ".svg")];
        Assert.Equal(expected.Order(), Directory.GetFiles(target).Select(Path.GetFileName).Order());
        Assert.Equal(expected.Select(name => Path.Combine(target, name)), run.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        string first = await File.ReadAllTextAsync(Path.Combine(target, "report.html"));
        await ConsoleRun.Of($"report --from {file} --out {target}");
        Assert.Equal(first, await File.ReadAllTextAsync(Path.Combine(target, "report.html")));
    }

    [Fact]
    public async Task What_it_can_not_draw_is_refused()
    {
        (await ConsoleRun.Of($"report --from {Path.Combine(_directory.Path, "none.json")}")).AssertRefused("none.json");
        (await ConsoleRun.Of($"report --from {_directory.Write("a.json", "{}")}")).AssertRefused("a.json", "no result of report");
        (await ConsoleRun.Of($"report --quick --from {Write("run.json", InventedRun.Of())}")).AssertRefused("--quick");
    }

    [Fact]
    public void The_page_needs_nothing_else_and_has_every_figure()
    {
        RunFile run = InventedRun.Of();
        string page = ReportPage.Of(run);
        Assert.All(["<script", "src=", "@import", "url(", "https:"], part => Assert.DoesNotContain(part, page));
        Assert.DoesNotContain("http:", page.Replace("http://www.w3.org/2000/svg", "", StringComparison.Ordinal));
        Assert.All(run.Charts, chart => Assert.Contains($"<a href=\"#chart-{chart.Id}\">", page));
        Assert.All(run.Charts, chart => Assert.Contains($"<h2 id=\"chart-{chart.Id}\">", page));
        int points = run.Charts.SelectMany(static chart => chart.Series).Sum(static series => series.Points.Count);
        Assert.Equal(points, page.Split("<td>").Length - 1);
        Assert.Equal(2 * run.Charts.Count, page.Split("<svg ").Length - 1);
    }

    [Fact]
    public void Any_text_is_only_text()
    {
        const string evil = "</title><script>alert(1)</script>\"'&<b>\u0000\ud800";
        RunFile run = ComparisonTests.Small([1.0, 2.0]);
        RunChart chart = run.Charts[0];
        chart = chart with
        {
            Title = evil, HowMade = evil, X = new RunAxis(evil, evil, false), Y = new RunAxis(evil, evil, true),
            Series = [chart.Series[0] with { Name = evil }],
        };
        run = run with { Commit = evil, Machine = run.Machine with { Processor = evil }, Charts = [chart] };
        Assert.All([ReportPage.Of(run), SvgChart.StandAlone(chart)], static text =>
        {
            Assert.DoesNotContain("<script", text);
            Assert.DoesNotContain("<b>", text);
            Assert.DoesNotContain('\0', text);
        });
        System.Xml.Linq.XDocument.Parse(SvgChart.StandAlone(chart));
    }

    [Fact]
    public void Nothing_measured_is_still_a_page()
    {
        RunFile run = InventedRun.Of();
        RunChart empty = run.Charts[0] with { Series = [] };
        RunChart pointless = run.Charts[1] with { Series = [run.Charts[1].Series[0] with { Points = [] }] };
        Assert.Contains("nothing was measured", ReportPage.Of(run with { Charts = [empty, pointless] }));
        Assert.Contains("</html>", ReportPage.Of(run with { Charts = [] }));
    }

    [Fact]
    public async Task Compared_runs_end_with_one_only_after_a_loss()
    {
        string a = Write("a.json", InventedRun.Of(1));
        string same = Write("b.json", InventedRun.Of(2));
        string slow = Write("c.json", InventedRun.Of(2, change: static (chart, name, _) => (chart, name) == ("put", "native") ? 0.75 : 1));
        ConsoleRun level = await ConsoleRun.Of($"compare-runs {a} {same}");
        Assert.Equal((0, ""), (level.ExitCode, level.Error));
        string[] parts = ["within noise", "Nothing lost more than 10 %", "(baseline)", "by 1 baseline"];
        Assert.All(parts, part => Assert.Contains(part, level.Output));
        ConsoleRun lost = await ConsoleRun.Of($"compare-runs {a} {slow}");
        Assert.Equal((PerfApp.Failed, ""), (lost.ExitCode, lost.Error));
        Assert.All(["slower, too much", "Lost more than 10 %: put native (0.7"], part => Assert.Contains(part, lost.Output));
        Assert.Equal(0, (await ConsoleRun.Of($"compare-runs {a} {slow} --loss 40")).ExitCode);
        Assert.Equal(0, (await ConsoleRun.Of($"compare-runs {slow} {a}")).ExitCode);
    }

    [Fact]
    public async Task A_comparison_is_one_object_with_every_series()
    {
        RunFile run = InventedRun.Of(1);
        string a = Write("a.json", run);
        RunMachine machine = run.Machine with { Processor = "Other" };
        string b = Write("b.json", InventedRun.Of(2) with { Machine = machine, Options = run.Options.Take(1).ToDictionary() });
        JsonElement report = (await ConsoleRun.Of($"compare-runs {a} {b} --json")).Json();
        Assert.Equal(
            ["commitA", "commitB", "lossPercent", "warnings", "control", "series", "onlyInA", "onlyInB"],
            report.EnumerateObject().Select(static field => field.Name));
        Assert.Equal(2, report.GetProperty("warnings").GetArrayLength());
        Assert.Contains("processor differs", report.GetProperty("warnings")[0].GetString());
        JsonElement pause = report.GetProperty("series")[1];
        Assert.Equal(("pause", "pile", "withinNoise"), (Text("chart"), Text("series"), Text("verdict")));
        Assert.Equal(6, pause.GetProperty("points").GetArrayLength());
        Assert.InRange(pause.GetProperty("points")[0].GetProperty("ratio").GetDouble(), 0.8, 1.25);

        string? Text(string name) => pause.GetProperty(name).GetString();
    }

    [Fact]
    public async Task What_can_not_be_compared_is_refused()
    {
        string a = Write("a.json", InventedRun.Of(1));
        (await ConsoleRun.Of($"compare-runs {a} {_directory.Write("b.json", "[]")}")).AssertRefused("b.json", "no result of report");
        (await ConsoleRun.Of($"compare-runs {a} {Write("c.json", InventedRun.Of(1) with { Charts = [] })}")).AssertRefused("in common");
        (await ConsoleRun.Of($"compare-runs {a} {a} --loss 100")).AssertRefused("--loss '100' is out of range");
        (await ConsoleRun.Of($"compare-runs {a}")).AssertRefused("");
    }

    private string Write(string name, RunFile run)
    {
        string path = Path.Combine(_directory.Path, name);
        RunStore.Write(path, run);
        return path;
    }
}
