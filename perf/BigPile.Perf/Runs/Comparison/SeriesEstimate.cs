using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>How much a series changed between two runs: the mean of its points' logarithms of ratios, and how sure that is.</summary>
/// <param name="Change">The mean; below 0 the second run is the worse one.</param>
/// <param name="Variance">Its variance, as far as the repeats and the points tell it.</param>
/// <param name="Freedom">The degrees of freedom behind that.</param>
internal sealed record SeriesEstimate(double Change, double Variance, double Freedom)
{
    private const double Resolution = 0.001; // figures are rounded: what differs by less is the same
    private const double PriorFreedom = 4; // what all series together say of scatter weighs as much as four more points

    /// <summary>
    /// How much more the points of a series scatter around their mean than the spread of their repeats explains, as a ratio of variances:
    /// the square of Birge's ratio. None without repeats, or with one point.
    /// </summary>
    internal static double? ScatterOf(IReadOnlyList<PointPair> points)
    {
        double expected = VarianceOfPoint(points);
        return points.Count < 2 || expected == 0 ? null : SquaresOf(points) / (points.Count - 1) / expected;
    }

    /// <summary>Estimates the change.</summary>
    /// <param name="points">Those that have a ratio.</param>
    /// <param name="commonScatter">What <see cref="ScatterOf"/> is for all series together, from 1.</param>
    /// <returns><see langword="null"/> where nothing tells the spread.</returns>
    /// <remarks>
    /// The repeats give the expected distance of two medians of the same quantity, pooled over the points. If the points scatter more,
    /// something varies between runs that repeats within one do not show, and the variance grows accordingly. It never shrinks. Few points
    /// say little of their own scatter, so it is shrunk towards that of all.
    /// </remarks>
    internal static SeriesEstimate? Of(IReadOnlyList<PointPair> points, double commonScatter)
    {
        if (points.Count == 0)
            return null;
        double change = points.Average(static point => point.LogRatio);
        double ofPoint = VarianceOfPoint(points);
        if (ofPoint == 0)
            return OfPointsAlone(points, change);
        double own = SquaresOf(points) / ofPoint;
        double scatter = Math.Max(1, (PriorFreedom * commonScatter + own) / (PriorFreedom + points.Count - 1));
        return new SeriesEstimate(change, scatter * ofPoint / points.Count, points.Sum(static point => point.Freedom));
    }

    // Each point was measured once: only how they differ from each other tells anything.
    private static SeriesEstimate? OfPointsAlone(IReadOnlyList<PointPair> points, double change) => points.Count < 3
        ? null
        : new SeriesEstimate(change, SquaresOf(points) / (points.Count - 1) / points.Count, points.Count - 1);

    // The mean over the points; 0 without repeats.
    private static double VarianceOfPoint(IReadOnlyList<PointPair> points)
    {
        int freedom = points.Sum(static point => point.Freedom);
        if (freedom == 0)
            return 0;
        double ofRepeat = Math.Max(points.Sum(static point => point.SumOfSquares) / freedom, Resolution * Resolution);
        return ofRepeat * points.Average(static point => point.VarianceShare);
    }

    private static double SquaresOf(IReadOnlyList<PointPair> points)
    {
        double mean = points.Average(static point => point.LogRatio);
        return points.Sum(point => (point.LogRatio - mean) * (point.LogRatio - mean));
    }
}
