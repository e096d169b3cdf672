namespace BigPile.Perf;

/// <summary>Which runs are compared.</summary>
/// <param name="First">The result file of the run before.</param>
/// <param name="Second">That of the run after.</param>
/// <param name="LossPercent">The loss that is allowed.</param>
internal sealed record CompareRunsOptions(string First, string Second, double LossPercent)
{
    internal const double DefaultLossPercent = 10;
}
