using System.Collections.Generic;
using System.Linq;
using System.Text;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Charts;

/// <summary>The figures of a chart as a table of a page: a row for each place, a column for each series.</summary>
internal static class DataTable
{
    /// <summary>The table as HTML.</summary>
    internal static string Of(RunChart chart)
    {
        var html = new StringBuilder();
        string label = MarkupText.Of(chart.Title);
        html.Append($"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}, figures\">\n<table>\n");
        html.Append($"<caption>{MarkupText.Of(CaptionOf(chart))}</caption>\n<thead><tr>");
        AppendHead(html, FigureText.Named(chart.X.Label, FigureText.IsSize(chart.X.Unit) ? "" : chart.X.Unit), "col");
        foreach (RunSeries series in chart.Series)
            AppendHead(html, series.Name, "col");
        html.Append("</tr></thead>\n<tbody>\n");
        foreach (double x in chart.Series.SelectMany(static series => series.Points).Select(static point => point.X).Distinct().Order())
            AppendRow(html, chart, x);
        return html.Append("</tbody>\n</table>\n</div>\n").ToString();
    }

    private static void AppendRow(StringBuilder html, RunChart chart, double x)
    {
        html.Append("<tr>");
        AppendHead(html, FigureText.Full(x, chart.X.Unit), "row");
        foreach (RunSeries series in chart.Series)
            html.Append($"<td>{CellOf(series.Points.FirstOrDefault(point => point.X == x), chart.Y.Unit)}</td>");
        html.Append("</tr>\n");
    }

    private static string CellOf(RunPoint? point, string unit)
    {
        if (point == null)
            return "";
        Spread spread = Spread.Of(point.Repeats);
        string range = point.Repeats.Count == 1 ? "" : $"<span class=\"range\">{MarkupText.Of(FigureText.Range(spread, unit))}</span>";
        return MarkupText.Of(FigureText.Full(spread.Median, unit)) + range;
    }

    private static void AppendHead(StringBuilder html, string text, string scope) =>
        html.Append($"<th scope=\"{scope}\">{MarkupText.Of(text)}</th>");

    private static string CaptionOf(RunChart chart)
    {
        string what = FigureText.Named(chart.Y.Label, FigureText.IsSize(chart.Y.Unit) ? "" : chart.Y.Unit);
        int[] counts = [.. CountsOf(chart).Distinct().Order()];
        return counts switch
        {
            [] => $"{what}: nothing was measured.",
            [1] => $"{what}: measured once.",
            [var all] => $"{what}: the median of {all}, and from the lowest to the highest.",
            _ => $"{what}: the median of {counts[0]} to {counts[^1]}, and from the lowest to the highest.",
        };
    }

    private static IEnumerable<int> CountsOf(RunChart chart) =>
        chart.Series.SelectMany(static series => series.Points).Select(static point => point.Repeats.Count);
}
