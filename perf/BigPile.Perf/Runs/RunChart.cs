using System.Collections.Generic;

namespace BigPile.Perf.Runs;

/// <summary>Figures that belong on one chart: a few series over the same axis.</summary>
internal sealed record RunChart
{
    /// <summary>A short name that stays from version to version, such as <c>pause</c>; unique in its run.</summary>
    public required string Id { get; init; }

    /// <summary>What the chart shows, as a heading.</summary>
    public required string Title { get; init; }

    /// <summary>How the figures were made: a sentence or two for the reader.</summary>
    public required string HowMade { get; init; }

    /// <summary>What the points lie over.</summary>
    public required RunAxis X { get; init; }

    /// <summary>What was measured.</summary>
    public required RunAxis Y { get; init; }

    /// <summary>Whether more is better, as of operations a second, and not less, as of milliseconds.</summary>
    public required bool MoreIsBetter { get; init; }

    /// <summary>The series, in the order of the legend.</summary>
    public required IReadOnlyList<RunSeries> Series { get; init; }
}
