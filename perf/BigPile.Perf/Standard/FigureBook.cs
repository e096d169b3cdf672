using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>Collects figures as they are measured, and makes charts of them.</summary>
internal sealed class FigureBook
{
    private readonly Dictionary<string, List<Line>> _charts = [];

    /// <summary>Adds a figure; another one at the same place is a repetition.</summary>
    internal void Add(string chart, string series, bool isBaseline, double x, double figure)
    {
        if (!_charts.TryGetValue(chart, out List<Line>? lines))
            _charts[chart] = lines = [];
        Line? line = lines.Find(one => one.Name == series);
        if (line == null)
            lines.Add(line = new Line(series, isBaseline));
        if (!line.Points.TryGetValue(x, out List<double>? repeats))
            line.Points[x] = repeats = [];
        repeats.Add(figure);
    }

    /// <summary>The chart with all that was added to it; <see langword="null"/> when there is nothing.</summary>
    internal RunChart? ToChart(ChartHead head) => !_charts.TryGetValue(head.Id, out List<Line>? lines) ? null : new RunChart
    {
        Id = head.Id,
        Title = head.Title,
        HowMade = head.HowMade,
        X = head.X,
        Y = head.Y,
        MoreIsBetter = head.MoreIsBetter,
        Series = [.. lines.Select(static line => line.ToSeries())],
    };

    private sealed record Line(string Name, bool IsBaseline)
    {
        internal SortedDictionary<double, List<double>> Points { get; } = [];

        internal RunSeries ToSeries() =>
            new(Name, IsBaseline, [.. Points.Select(static point => new RunPoint(point.Key, point.Value))]);
    }
}
