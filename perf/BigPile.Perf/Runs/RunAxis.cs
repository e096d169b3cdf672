namespace BigPile.Perf.Runs;

/// <summary>An axis of a chart.</summary>
/// <param name="Label">What it counts, such as <c>live objects</c>.</param>
/// <param name="Unit">In what, such as <c>ms</c>; empty for a plain number.</param>
/// <param name="IsLogarithmic">Whether equal steps are equal ratios; otherwise the axis begins at zero.</param>
internal sealed record RunAxis(string Label, string Unit, bool IsLogarithmic);
