using System;
using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What came out of measuring the same several times.</summary>
internal sealed record Spread(double Median, double Lowest, double Highest)
{
    /// <summary>Of one figure or more.</summary>
    /// <param name="figures">The figures.</param>
    /// <param name="digits">The decimal places that are kept.</param>
    internal static Spread Of(IEnumerable<double> figures, int digits)
    {
        double[] sorted = [.. figures];
        Array.Sort(sorted);
        double median = (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
        return new Spread(Math.Round(median, digits), Math.Round(sorted[0], digits), Math.Round(sorted[^1], digits));
    }
}
