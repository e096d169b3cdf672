using System.Collections.Generic;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>The comparison of two runs.</summary>
internal sealed record RunComparison
{
    /// <summary>The commit of the first.</summary>
    public required string CommitA { get; init; }

    /// <summary>That of the second.</summary>
    public required string CommitB { get; init; }

    /// <summary>The loss that is allowed.</summary>
    public required double LossPercent { get; init; }

    /// <summary>What makes the runs hard to compare: machines or options that differ.</summary>
    public required IReadOnlyList<string> Warnings { get; init; }

    /// <summary>What the baselines say.</summary>
    public required Control Control { get; init; }

    /// <summary>Each series that both have.</summary>
    public required IReadOnlyList<SeriesComparison> Series { get; init; }

    /// <summary>The series that only the first has, each as its chart's id and its name.</summary>
    public required IReadOnlyList<string> OnlyInA { get; init; }

    /// <summary>Those that only the second has.</summary>
    public required IReadOnlyList<string> OnlyInB { get; init; }
}
