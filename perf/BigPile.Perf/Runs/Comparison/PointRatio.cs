using BigPile.Perf.Reports;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>A point of two runs, as it is printed.</summary>
/// <param name="X">Where it lies.</param>
/// <param name="A">What the first run measured.</param>
/// <param name="B">What the second did.</param>
/// <param name="Ratio">Of the medians, above 1 where the second run is better; none where a figure is 0 or below.</param>
internal sealed record PointRatio(double X, Spread A, Spread B, double? Ratio)
{
    /// <summary>Of a pair.</summary>
    internal static PointRatio Of(PointPair pair) =>
        new(pair.X, Spread.Of(pair.A), Spread.Of(pair.B), pair.HasRatio ? pair.Ratio : null);
}
