using System;
using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What came out of measuring the same several times.</summary>
internal sealed record Spread(double Median, double Lowest, double Highest)
{
    /// <summary>Of one figure or more.</summary>
    internal static Spread Of(IEnumerable<double> figures)
    {
        double[] sorted = [.. figures];
        Array.Sort(sorted);
        return new Spread((sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2, sorted[0], sorted[^1]);
    }

    /// <summary>Of one figure or more.</summary>
    /// <param name="figures">The figures.</param>
    /// <param name="digits">The decimal places that are kept.</param>
    internal static Spread Of(IEnumerable<double> figures, int digits)
    {
        Spread spread = Of(figures);
        return new Spread(Math.Round(spread.Median, digits), Math.Round(spread.Lowest, digits), Math.Round(spread.Highest, digits));
    }
}
