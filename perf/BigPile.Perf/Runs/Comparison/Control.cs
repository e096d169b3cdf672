using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json.Serialization;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>What the series that are not BigPile's say of the machine: their code was the same in both runs, or as good as.</summary>
/// <param name="Series">How many they are.</param>
/// <param name="Ratio">Their common ratio; below 1 the machine was slower in the second run. 1 without any.</param>
/// <param name="AllowancePercent">The standard error that every ratio of the two runs has beyond its own spread.</param>
/// <remarks>
/// The other ratios are not corrected for the machine's change, since it need not be the same for them; they only become less certain. The
/// allowance is how far the baselines moved beyond their own spread, as the root of the mean square, so that it covers both their common
/// and their individual drift; it is never below the difference from one process start to the next.
/// </remarks>
internal sealed record Control(int Series, double Ratio, double AllowancePercent)
{
    private const double LeastAllowance = 0.03;

    /// <summary>The allowance as a variance of logarithms.</summary>
    [JsonIgnore]
    internal double Variance => AllowancePercent / 100 * (AllowancePercent / 100);

    /// <summary>What these baselines say.</summary>
    internal static Control Of(IReadOnlyList<SeriesEstimate> baselines)
    {
        if (baselines.Count == 0)
            return new Control(0, 1, 100 * LeastAllowance);
        double[] weights = [.. baselines.Select(static one => 1 / (one.Variance + LeastAllowance * LeastAllowance))];
        double Mean(Func<SeriesEstimate, double> of) =>
            baselines.Zip(weights, (one, weight) => weight * of(one)).Sum() / weights.Sum();
        double beyond = Mean(static one => one.Change * one.Change - one.Variance);
        double allowance = Math.Max(LeastAllowance, Math.Sqrt(Math.Max(0, beyond)));
        return new Control(baselines.Count, Math.Exp(Mean(static one => one.Change)), 100 * allowance);
    }
}
