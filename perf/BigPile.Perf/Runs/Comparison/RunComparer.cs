using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>Compares two runs, and separates changes from noise.</summary>
/// <remarks>
/// A single point among many differs by chance, so a series is judged as a whole (<see cref="SeriesEstimate"/>), with an allowance for the
/// machine (<see cref="Control"/>), by Student's distribution, and with Holm's correction for the number of series: of a hundred pairs of
/// runs of the same code at most one is to have a change found in it.
/// </remarks>
internal static class RunComparer
{
    private const double Significance = 0.01; // over all series together
    private const double OutsideOfRange = 0.05;

    /// <summary>Compares.</summary>
    /// <param name="a">The run before.</param>
    /// <param name="b">The run after.</param>
    /// <param name="lossPercent">The loss that is allowed, within 0 and 100.</param>
    /// <exception cref="LoadException">The runs have nothing in common, or count differently.</exception>
    internal static RunComparison Compare(RunFile a, RunFile b, double lossPercent)
    {
        IReadOnlyList<SeriesPair> pairs = SeriesPair.Of(a, b);
        double scatter = CommonScatterOf(pairs);
        SeriesEstimate?[] estimates = [.. pairs.Select(pair => SeriesEstimate.Of(pair.Ratios, scatter))];
        Control control = Control.Of([.. estimates.Where((_, i) => pairs[i].IsControl).OfType<SeriesEstimate>()]);
        SeriesEstimate?[] widened = [.. estimates.Select(estimate => Widen(estimate, control))];
        double?[] probabilities = ProbabilitiesOf(pairs, widened);
        return new RunComparison
        {
            CommitA = a.Commit,
            CommitB = b.Commit,
            LossPercent = lossPercent,
            Warnings = RunDifferences.Of(a, b),
            Control = control,
            Series = [.. pairs.Select((pair, i) => Judge(pair, widened[i], probabilities[i], Math.Log(1 - lossPercent / 100)))],
            OnlyInA = SeriesPair.Missing(a, pairs),
            OnlyInB = SeriesPair.Missing(b, pairs),
        };
    }

    // The median, so that series that did change do not hide themselves and others.
    private static double CommonScatterOf(IReadOnlyList<SeriesPair> pairs)
    {
        IEnumerable<double?> scatters = pairs.Select(
            static pair => SeriesEstimate.ScatterOf(pair.Ratios) / MedianOf(pair.Ratios.Count - 1));
        double[] known = [.. scatters.OfType<double>()];
        return known.Length == 0 ? 1 : Math.Max(1, Spread.Of(known).Median);
    }

    // The median of a chi-square over its degrees of freedom (Wilson and Hilferty's approximation), where the mean is 1.
    private static double MedianOf(int freedom) => Math.Pow(1 - 2 / (9.0 * Math.Max(1, freedom)), 3);

    // The allowance is no estimate of this series, so it brings no degrees of freedom, and makes those of the rest matter less.
    private static SeriesEstimate? Widen(SeriesEstimate? estimate, Control control)
    {
        if (estimate == null)
            return null;
        double variance = estimate.Variance + control.Variance;
        double share = Math.Max(estimate.Variance / variance, 1e-3);
        return new SeriesEstimate(estimate.Change, variance, estimate.Freedom / (share * share));
    }

    // Holm: the least probability counts as often as there are series, the next one time less, and none falls below the one before.
    private static double?[] ProbabilitiesOf(IReadOnlyList<SeriesPair> pairs, SeriesEstimate?[] estimates)
    {
        var probabilities = new double?[pairs.Count];
        (int Index, double Probability)[] tested =
        [
            .. estimates.Index().Where(one => one.Item != null && !pairs[one.Index].IsBaseline)
                .Select(static one => (one.Index, StudentT.TwoSided(one.Item!.Change / Math.Sqrt(one.Item.Variance), one.Item.Freedom)))
                .OrderBy(static one => one.Item2),
        ];
        double least = 0;
        for (int i = 0; i < tested.Length; i++)
        {
            least = Math.Min(1, Math.Max(least, tested[i].Probability * (tested.Length - i)));
            probabilities[tested[i].Index] = least;
        }
        return probabilities;
    }

    private static SeriesComparison Judge(SeriesPair pair, SeriesEstimate? estimate, double? probability, double allowed)
    {
        double reach = estimate == null ? 0 : StudentT.Quantile(OutsideOfRange, estimate.Freedom) * Math.Sqrt(estimate.Variance);
        Verdict verdict = VerdictOf(pair, estimate, probability, allowed, reach);
        int freedom = pair.Ratios.Sum(static point => point.Freedom);
        return new SeriesComparison
        {
            Chart = pair.Chart.Id,
            Series = pair.Name,
            Unit = pair.Chart.Y.Unit,
            Verdict = verdict,
            IsLoss = verdict == Verdict.Worse && estimate!.Change < allowed,
            Ratio = estimate == null ? null : Math.Exp(estimate.Change),
            Low = estimate == null ? null : Math.Exp(estimate.Change - reach),
            High = estimate == null ? null : Math.Exp(estimate.Change + reach),
            SpreadPercent = freedom == 0 ? null : 100 * Math.Sqrt(pair.Ratios.Sum(static point => point.SumOfSquares) / freedom),
            Probability = probability,
            Points = [.. pair.Points.Select(PointRatio.Of)],
        };
    }

    private static Verdict VerdictOf(SeriesPair pair, SeriesEstimate? estimate, double? probability, double allowed, double reach)
    {
        if (pair.IsBaseline)
            return Verdict.Control;
        if (probability <= Significance)
            return estimate!.Change < 0 ? Verdict.Worse : Verdict.Better;
        return estimate == null || estimate.Change - reach < allowed ? Verdict.TooNoisyToTell : Verdict.WithinNoise;
    }
}
