using System;
using System.Globalization;
using System.Linq;
using System.Text;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Charts;

/// <summary>A run as one page of HTML that needs nothing else: no network, and no scripts.</summary>
internal sealed class ReportPage
{
    private const string Title = "What BigPile does on this machine";

    private readonly RunFile _run;
    private readonly StringBuilder _html = new();

    private ReportPage(RunFile run) => _run = run;

    /// <summary>The page's text.</summary>
    internal static string Of(RunFile run) => new ReportPage(run).Write();

    private string Write()
    {
        Add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
        Add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        Add($"<title>{Title}</title>\n<style>\n{Colors()}{ChartTheme.PageRules}{ChartTheme.ChartRules}</style>\n</head>\n<body>");
        AddHead();
        Add("<main>");
        AddFacts();
        AddContents();
        foreach (RunChart chart in _run.Charts)
            AddChart(chart);
        Add("</main>\n<footer><p>Drawn by <code>BigPile.Perf report</code> from its result file, which has every figure.</p></footer>");
        Add("</body>\n</html>");
        return _html.ToString();
    }

    // The switch at the top is a CSS rule too; it overrides the system's preference. Paper is light.
    private static string Colors() =>
        $":root {{ {ChartTheme.Properties(isDark: false)} }}\n"
        + $"@media (prefers-color-scheme: dark) {{ :root {{ {ChartTheme.Properties(isDark: true)} }} }}\n"
        + $":root:has(#theme-light:checked) {{ {ChartTheme.Properties(isDark: false)} }}\n"
        + $":root:has(#theme-dark:checked) {{ {ChartTheme.Properties(isDark: true)} }}\n"
        + $"@media print {{ :root, :root:has(input:checked) {{ {ChartTheme.Properties(isDark: false)} }} }}\n";

    private void AddHead()
    {
        Add($"<header>\n<div class=\"top\"><h1>{Title}</h1>\n<fieldset class=\"theme\"><legend>Colours</legend>");
        AddTheme("system", "System", " checked");
        AddTheme("light", "Light", "");
        AddTheme("dark", "Dark", "");
        Add("</fieldset></div>");
        Add("<p class=\"lead\">The standard loads, measured in one run. Dashed lines with hollow marks are of something else than BigPile, "
            + "beside it. Marks are medians of the repeats, and whiskers are their range.</p>\n</header>");
    }

    private void AddTheme(string id, string name, string state) =>
        Add($"<input type=\"radio\" name=\"theme\" id=\"theme-{id}\"{state}><label for=\"theme-{id}\">{name}</label>");

    private void AddFacts()
    {
        RunMachine machine = _run.Machine;
        Add("<section class=\"panel\" aria-label=\"The run\">\n<dl class=\"facts\">");
        AddFact("Commit", _run.Commit);
        AddFact("Began", _run.StartedAt.UtcDateTime.ToString("d MMMM yyyy, HH:mm", CultureInfo.InvariantCulture) + " UTC");
        AddFact("Took", FigureText.FullWithUnit(Math.Round(_run.Minutes, 1), "minutes"));
        AddFact("Processor", $"{machine.Processor}, {Counted.Of(machine.Cores, "core")}");
        AddFact("Memory", FigureText.Full(machine.MemoryBytes, "bytes"));
        AddFact("System", machine.System);
        AddFact("Runtime", $"{machine.Runtime}, {machine.Collector}");
        if (_run.Options.Count > 0)
            AddFact("Options", string.Join(", ", _run.Options.Select(static option => $"{option.Key} {option.Value}")));
        Add("</dl>\n</section>");
    }

    private void AddFact(string name, string text) => Add($"<dt>{name}</dt><dd>{MarkupText.Of(text)}</dd>");

    private void AddContents()
    {
        Add("<nav class=\"panel contents\" aria-labelledby=\"contents\">\n<h2 id=\"contents\">Charts</h2>\n<ol>");
        foreach (RunChart chart in _run.Charts)
            Add($"<li><a href=\"#chart-{chart.Id}\">{MarkupText.Of(chart.Title)}</a></li>");
        Add("</ol>\n</nav>");
    }

    private void AddChart(RunChart chart)
    {
        Add($"<section class=\"panel\" aria-labelledby=\"chart-{chart.Id}\">");
        Add($"<h2 id=\"chart-{chart.Id}\">{MarkupText.Of(chart.Title)}</h2>\n<p class=\"made\">{MarkupText.Of(chart.HowMade)}</p>");
        Add($"<figure>\n{SvgChart.InPage(chart, ChartSize.Wide)}{SvgChart.InPage(chart, ChartSize.Narrow)}</figure>");
        Add(DataTable.Of(chart) + "</section>");
    }

    private void Add(string html) => _html.Append(html).Append('\n');
}
