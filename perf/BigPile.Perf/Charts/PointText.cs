using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Charts;

/// <summary>The tooltip of a point.</summary>
internal static class PointText
{
    /// <summary>Its series, its place, its median, and the range if it was measured more than once.</summary>
    internal static string Of(RunChart chart, RunSeries series, RunPoint point, Spread spread)
    {
        string place = $"{chart.X.Label} {FigureText.FullWithUnit(point.X, chart.X.Unit)}";
        string figure = FigureText.FullWithUnit(spread.Median, chart.Y.Unit);
        return $"{series.Name}, {place}: {figure}{RangeOf(chart, point, spread)}";
    }

    private static string RangeOf(RunChart chart, RunPoint point, Spread spread) => point.Repeats.Count == 1
        ? ""
        : $" (median of {point.Repeats.Count}, {FigureText.Range(spread, chart.Y.Unit)})";
}
