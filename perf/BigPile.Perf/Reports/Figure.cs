using System;

namespace BigPile.Perf.Reports;

/// <summary>Measured figures as the reports tell them.</summary>
internal static class Figure
{
    /// <summary>Rounds to so many decimals, except what would become 0: that is only what was measured as 0.</summary>
    internal static double Rounded(double figure, int decimals)
    {
        double rounded = Math.Round(figure, decimals);
        return rounded != 0 ? rounded : figure;
    }

    /// <summary>Operations a second; a time below the clock's resolution counts as a nanosecond.</summary>
    internal static double PerSecond(long operations, double seconds) => Rounded(operations / Math.Max(seconds, 1e-9), 0);
}
