using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Charts;

/// <summary>The layout of a chart, from the top: title, legend, name of the measured quantity, plot, and the axis below.</summary>
/// <remarks>The plot's height is fixed and the parts above it push it down, so that nothing overlaps the lines.</remarks>
internal sealed class ChartFrame
{
    /// <summary>The size of letters, as the style sheet has it.</summary>
    internal const double FontPixels = 13;

    /// <summary>The size of a title's letters.</summary>
    internal const double TitlePixels = 16;

    /// <summary>The line height of texts.</summary>
    internal const double LineHeight = 21;

    private const double Edge = 14;
    private const double Inset = 18; // no mark lies on the frame
    private const double BelowPlot = 62;

    private readonly double _plotHeight;
    private readonly double _fromLeft;

    internal ChartFrame(RunChart chart, ChartSize size, bool hasTitle)
    {
        Width = size.Width;
        _plotHeight = size.PlotHeight;
        Title = hasTitle ? TextWidth.Lines(chart.Title, TitlePixels, Width - 2 * Edge) : [];
        Legend = LegendEntry.Place(chart.Series, Edge, Width - Edge);
        LegendTop = Edge + Title.Count * LineHeight + (Title.Count > 0 ? 8 : 0);
        PlotTop = LegendTop + Legend.Select(static entry => entry.Row + 1).DefaultIfEmpty(0).Max() * LineHeight + 34;
        RunPoint[] points = [.. chart.Series.SelectMany(static series => series.Points)];
        Y = AxisScale.Of(HeightsOf(chart, points), SpecOfY(chart.Y));
        PlotLeft = Edge + 8 + Y.Ticks.Max(tick => TextWidth.Of(FigureText.Short(tick, chart.Y.Unit), FontPixels));
        PlotRight = Width - Edge - 14;
        double[] places = [.. points.Select(static point => point.X)];
        X = AxisScale.Of(places, SpecOfX(chart.X, places));
        _fromLeft = chart.X.IsLogarithmic ? Inset : 0;
    }

    internal double Width { get; }

    internal double Height => PlotBottom + BelowPlot;

    internal IReadOnlyList<string> Title { get; }

    internal IReadOnlyList<LegendEntry> Legend { get; }

    internal double LegendTop { get; }

    internal double PlotLeft { get; }

    internal double PlotRight { get; }

    internal double PlotTop { get; }

    internal double PlotBottom => PlotTop + _plotHeight;

    internal AxisScale X { get; }

    internal AxisScale Y { get; }

    /// <summary>Where a figure of the axis below lies.</summary>
    internal double AtX(double value) => PlotLeft + _fromLeft + X.PixelsOf(value);

    /// <summary>Where a measured figure lies.</summary>
    internal double AtY(double value) => PlotBottom - Y.PixelsOf(value);

    // A logarithmic axis can't show zero and below, so such figures do not decide where it begins.
    private static double[] HeightsOf(RunChart chart, RunPoint[] points) =>
        [.. points.SelectMany(static point => point.Repeats).Where(value => !chart.Y.IsLogarithmic || value > 0)];

    private AxisSpec SpecOfY(RunAxis axis) => new(
        axis.IsLogarithmic, FigureText.IsSize(axis.Unit), IsWhole: false, EndsAtTicks: true, _plotHeight, static _ => 34);

    private AxisSpec SpecOfX(RunAxis axis, double[] places) => new(
        axis.IsLogarithmic,
        FigureText.IsSize(axis.Unit) || (axis.IsLogarithmic && axis.Unit.Length == 0 && places.All(double.IsPow2)),
        IsWhole: places.All(double.IsInteger),
        EndsAtTicks: false,
        PlotRight - PlotLeft - (axis.IsLogarithmic ? 2 : 1) * Inset,
        value => TextWidth.Of(FigureText.Short(value, axis.Unit), FontPixels) + 14);
}
