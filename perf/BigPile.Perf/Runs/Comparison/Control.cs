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
/// The machine's change is not taken out of the other ratios, for it need not be the same for them: it makes them less sure. The
/// allowance is how far the baselines moved beyond their own spread, the root of the mean square, so that it holds both what they have
/// in common and what each has for itself; it is never below what one start of a process differs from the next.
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
