using System;

namespace BigPile.Perf.Loads;

/// <summary>Rates as the reports tell them.</summary>
internal static class Rate
{
    /// <summary>Whole operations a second; a time that the clock could not tell counts as a nanosecond.</summary>
    internal static double PerSecond(long operations, double seconds) => Math.Round(operations / Math.Max(seconds, 1e-9));
}
