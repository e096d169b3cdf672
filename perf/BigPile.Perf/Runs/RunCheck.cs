using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace BigPile.Perf.Runs;

/// <summary>What a run must be beyond its types, for charts to be drawn and ratios to be taken.</summary>
internal static class RunCheck
{
    private const int MaxIdLength = 64;
    private const double MaxFigure = 1e18; // beyond it the arithmetic of charts and ratios would overflow
    private const double MinFigure = 1 / MaxFigure;
    private const int MaxCharts = 256;
    private const int MaxSeries = 64;
    private const int MaxPoints = 4096; // more than a chart can show, and to place their labels takes their square
    private const int MaxRepeats = 4096;

    /// <summary>The first thing that is wrong, as a sentence that begins with its place; <see langword="null"/> if nothing is.</summary>
    internal static string? FindFault(RunFile run)
    {
        if (!double.IsFinite(run.Minutes) || run.Minutes < 0)
            return "minutes: it must be a number from 0.";
        if (run.Options.FirstOrDefault(static option => option.Value is null) is { Key: { } name })
            return $"options, {RunTexts.Sanitize(name)}: a text is needed, not null.";
        if (run.Charts.Count > MaxCharts)
            return $"charts: there are {run.Charts.Count}, and may be {MaxCharts}.";
        if (RunTexts.FindFault(run) is { } hidden)
            return hidden;
        if (Repeated(run.Charts.Select(static chart => chart?.Id)) is { } twice)
            return $"charts: '{RunTexts.Sanitize(twice)}' is there twice.";
        return run.Charts.Select(FaultOf).FirstOrDefault(static fault => fault != null);
    }

    private static string? FaultOf(RunChart? chart, int index)
    {
        if (chart == null)
            return $"charts[{index}]: a chart is needed, not null.";
        if (!IsId(chart.Id))
            return $"charts[{index}]: the id '{RunTexts.Sanitize(chart.Id)}' must be 1 to {MaxIdLength} small letters, digits and hyphens.";
        if (chart.Series.Count > MaxSeries)
            return $"charts[{index}] '{chart.Id}': there are {chart.Series.Count} series, and may be {MaxSeries}.";
        if (Repeated(chart.Series.Select(static series => series?.Name)) is { } twice)
            return $"charts[{index}] '{chart.Id}': the series '{twice}' is there twice.";
        return chart.Series.Select((series, number) => FaultOf(chart, series, number)).FirstOrDefault(static fault => fault != null);
    }

    private static string? FaultOf(RunChart chart, RunSeries? series, int index)
    {
        if (series == null)
            return $"chart '{chart.Id}', series[{index}]: a series is needed, not null.";
        string place = $"chart '{chart.Id}', series '{series.Name}'";
        if (series.Points.Count > MaxPoints)
            return $"{place}: there are {series.Points.Count} points, and may be {MaxPoints}.";
        double last = double.NegativeInfinity;
        foreach ((int number, RunPoint? point) in series.Points.Index())
        {
            if (FaultOf(chart.X, point, last) is { } fault)
                return string.Create(CultureInfo.InvariantCulture, $"{place}, points[{number}]: {fault}");
            last = point.X;
        }
        return null;
    }

    private static string? FaultOf(RunAxis axis, RunPoint? point, double last)
    {
        if (point == null)
            return "a point is needed, not null.";
        if (!IsFigure(point.X))
            return NoFigure("x");
        if (point.X <= last)
            return "x must rise from point to point.";
        if (axis.IsLogarithmic && point.X <= 0)
            return "x must be above 0 on a logarithmic axis.";
        if (point.Repeats.Count == 0)
            return "there must be one repeat or more.";
        if (point.Repeats.Count > MaxRepeats)
            return $"there are {point.Repeats.Count} repeats, and may be {MaxRepeats}.";
        return point.Repeats.All(IsFigure) ? null : NoFigure("each repeat");
    }

    private static bool IsFigure(double value) => value == 0 || Math.Abs(value) is >= MinFigure and <= MaxFigure; // not so of NaN

    private static string NoFigure(string what) => $"{what} must be a finite number: 0, or from 1E-18 to 1E18 either way.";

    // Small letters only: an id names a file, also where those do not tell large ones from small.
    private static bool IsId(string id) =>
        id.Length is > 0 and <= MaxIdLength && id.All(static c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-');

    private static string? Repeated(IEnumerable<string?> names) => names.Where(static name => name != null)
        .GroupBy(static name => name, StringComparer.Ordinal).FirstOrDefault(static group => group.Count() > 1)?.Key;
}
