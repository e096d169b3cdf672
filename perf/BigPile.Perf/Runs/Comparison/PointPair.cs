using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>The same point of two runs.</summary>
/// <param name="X">Where it lies in the first.</param>
/// <param name="A">What the first measured.</param>
/// <param name="B">What the second did.</param>
/// <param name="MoreIsBetter">Whether a larger figure is the better one.</param>
internal sealed record PointPair(double X, IReadOnlyList<double> A, IReadOnlyList<double> B, bool MoreIsBetter)
{
    // How much wider the median of so many normal figures varies than their mean, as a ratio of variances; without end: pi / 2.
    private static readonly double[] OfMedian = [1, 1, 1, 1.346, 1.192, 1.434, 1.288, 1.473];

    // Of places that were chosen by size, such as a pile's bytes: those of another build may differ a little.
    private const double SamePlace = 0.01;

    // What fell to nothing has lost this share of what it was, if not more.
    private const double Nothing = 1e-6;

    private readonly IReadOnlyList<double> _second = MoreIsBetter && B.All(static value => value <= 0)
        ? [.. B.Select(_ => A.Min() * Nothing)]
        : B;

    /// <summary>Whether there is a ratio: zero and what is below have none, but for a figure that was above and fell to that.</summary>
    internal bool HasRatio => A.All(static value => value > 0) && _second.All(static value => value > 0);

    /// <summary>The ratio of the medians, turned so that above 1 the second run is the better one.</summary>
    internal double Ratio => Math.Exp(LogRatio);

    /// <summary>Its logarithm.</summary>
    internal double LogRatio => (MoreIsBetter ? 1 : -1) * Math.Log(Spread.Of(_second).Median / Spread.Of(A).Median);

    /// <summary>The variance of <see cref="LogRatio"/>, as a multiple of that of a repeat's logarithm.</summary>
    internal double VarianceShare => ShareOf(A.Count) + ShareOf(B.Count);

    /// <summary>How many figures tell something of the spread: all but one of each run.</summary>
    internal int Freedom => A.Count + B.Count - 2;

    /// <summary>The squares of the repeats' distances to their mean, by logarithms.</summary>
    internal double SumOfSquares => SquaresOf(A) + SquaresOf(_second);

    /// <summary>The points that both series have.</summary>
    internal static IReadOnlyList<PointPair> Of(RunSeries a, RunSeries b, bool moreIsBetter) =>
    [
        .. from point in a.Points
        let other = b.Points.MinBy(candidate => Math.Abs(candidate.X - point.X))
        where other != null && Math.Abs(other.X - point.X) <= SamePlace * Math.Abs(point.X)
        select new PointPair(point.X, point.Repeats, other.Repeats, moreIsBetter),
    ];

    private static double ShareOf(int count) => (count < OfMedian.Length ? OfMedian[count] : Math.PI / 2) / count;

    private static double SquaresOf(IReadOnlyList<double> values)
    {
        double mean = values.Average(Math.Log);
        return values.Sum(value => (Math.Log(value) - mean) * (Math.Log(value) - mean));
    }
}
