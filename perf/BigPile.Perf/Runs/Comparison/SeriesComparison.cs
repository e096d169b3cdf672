using System.Collections.Generic;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>A series of two runs.</summary>
internal sealed record SeriesComparison
{
    /// <summary>The chart's id.</summary>
    public required string Chart { get; init; }

    /// <summary>The series' name.</summary>
    public required string Series { get; init; }

    /// <summary>In what its figures are.</summary>
    public required string Unit { get; init; }

    /// <summary>What came out.</summary>
    public required Verdict Verdict { get; init; }

    /// <summary>Whether it is worse by more than the loss that was allowed.</summary>
    public required bool IsLoss { get; init; }

    /// <summary>The geometric mean of the points' ratios, above 1 where the second run is better; none where nothing tells it.</summary>
    public required double? Ratio { get; init; }

    /// <summary>Where the ratio lies at least with a probability of 95 %, the machine's own changes included.</summary>
    public required double? Low { get; init; }

    /// <summary>Where it lies at most.</summary>
    public required double? High { get; init; }

    /// <summary>How much a repeat differs from the next, as a standard deviation; none without repeats.</summary>
    public required double? SpreadPercent { get; init; }

    /// <summary>The probability of such a change by chance, corrected for the number of series; none for a baseline.</summary>
    public required double? Probability { get; init; }

    /// <summary>The points that both runs have.</summary>
    public required IReadOnlyList<PointRatio> Points { get; init; }
}
