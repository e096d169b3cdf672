using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>The same series of two runs.</summary>
/// <param name="Chart">Its chart in the first.</param>
/// <param name="Name">Its name.</param>
/// <param name="IsBaseline">Whether it is of something else than BigPile.</param>
/// <param name="Points">The points that both have.</param>
internal sealed record SeriesPair(RunChart Chart, string Name, bool IsBaseline, IReadOnlyList<PointPair> Points)
{
    private const string Remedy = "Compare runs of one set of loads.";

    /// <summary>The points that have a ratio.</summary>
    internal IReadOnlyList<PointPair> Ratios { get; } = [.. Points.Where(static point => point.HasRatio)];

    /// <summary>Whether it tells how fast the machine is: a simulation's hit ratio is the same on any.</summary>
    internal bool IsControl => IsBaseline && RunAxis.IsOfTime(Chart.Y.Unit);

    /// <summary>The series that both runs have with at least one point, in the order of the first.</summary>
    /// <exception cref="LoadException">A chart counts something else in the second run, or there is no such series.</exception>
    internal static IReadOnlyList<SeriesPair> Of(RunFile a, RunFile b)
    {
        SeriesPair[] pairs = [.. a.Charts.SelectMany(chart => Of(chart, b.Charts.FirstOrDefault(other => other.Id == chart.Id)))];
        return pairs.Length > 0 ? pairs : throw new LoadException("The two runs have no point of any series in common. " + Remedy);
    }

    /// <summary>The series of a run that the pairs lack, as chart and name.</summary>
    internal static IReadOnlyList<string> Missing(RunFile run, IReadOnlyList<SeriesPair> pairs)
    {
        HashSet<string> known = [.. pairs.Select(static pair => NameOf(pair.Chart, pair.Name))];
        IEnumerable<string> all = run.Charts.SelectMany(static chart => chart.Series.Select(series => NameOf(chart, series.Name)));
        return [.. all.Where(name => !known.Contains(name))];
    }

    private static IEnumerable<SeriesPair> Of(RunChart chart, RunChart? other)
    {
        if (other == null)
            yield break;
        DemandSame(chart, other);
        foreach (RunSeries series in chart.Series)
        {
            if (other.Series.FirstOrDefault(candidate => candidate.Name == series.Name) is not { } second)
                continue;
            IReadOnlyList<PointPair> points = PointPair.Of(series, second, chart.MoreIsBetter);
            if (points.Count > 0)
                yield return new SeriesPair(chart, series.Name, series.IsBaseline && second.IsBaseline, points);
        }
    }

    private static void DemandSame(RunChart a, RunChart b)
    {
        if (a.X.Unit != b.X.Unit || a.Y.Unit != b.Y.Unit)
        {
            throw new LoadException(
                $"The chart '{a.Id}' counts '{a.Y.Unit}' by '{a.X.Unit}' in the first run, and '{b.Y.Unit}' by '{b.X.Unit}' in the second. "
                + Remedy);
        }
        if (a.MoreIsBetter != b.MoreIsBetter)
            throw new LoadException($"In the chart '{a.Id}' more is better in one of the runs, and less in the other. {Remedy}");
    }

    private static string NameOf(RunChart chart, string series) => $"{chart.Id}: {series}";
}
