using System;

namespace BigPile.Perf.Loads;

/// <summary>Rates as the reports tell them.</summary>
internal static class Rate
{
    /// <summary>Whole operations a second; a time below the clock's resolution counts as a nanosecond.</summary>
    internal static double PerSecond(long operations, double seconds) => Math.Round(operations / Math.Max(seconds, 1e-9));
}
