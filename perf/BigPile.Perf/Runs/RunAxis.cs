using System;

namespace BigPile.Perf.Runs;

/// <summary>An axis of a chart.</summary>
/// <param name="Label">What it counts, such as <c>live objects</c>.</param>
/// <param name="Unit">In what, such as <c>ms</c>; empty for a plain number.</param>
/// <param name="IsLogarithmic">Whether equal steps are equal ratios; otherwise the axis begins at zero.</param>
internal sealed record RunAxis(string Label, string Unit, bool IsLogarithmic)
{
    /// <summary>Whether figures in a unit are times or rates, which a slower machine changes.</summary>
    internal static bool IsOfTime(string unit) =>
        unit is "ns" or "us" or "ms" or "s" || unit.EndsWith("a second", StringComparison.Ordinal);
}
