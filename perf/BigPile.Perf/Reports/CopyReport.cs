using System;
using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a copy load measured. The names and their order are those of the JSON object.</summary>
internal sealed record CopyReport
{
    public required int Repetitions { get; init; }
    public required double PointerOfLimit { get; init; } // the pointer's way as a share of C's memcpy, for 8 KB in cache
    public required double PointerTimesAccessor { get; init; } // how many times as fast as the accessor the pointer's way is there
    public required IReadOnlyList<CopyRow> Copies { get; init; } // the ways to copy; C's memcpy is the last
    public required IReadOnlyList<ImageMemoryRow> Memories { get; init; } // the ways to make memory for an image
}

/// <summary>A way to copy, at one place.</summary>
internal sealed record CopyRow
{
    public required string Way { get; init; }

    /// <summary>cache or memory, of 8 KB; image, again the same one, or imageMemory, another one each time.</summary>
    public required string Place { get; init; }
    public required int SizeBytes { get; init; }
    public required Spread NsPerCopy { get; init; }
    public required double GigabytesPerSecond { get; init; } // bytes copied in a nanosecond, by the median
    public required double OfLimit { get; init; } // that as a share of what C's memcpy copies at the same place
}

/// <summary>A way to make memory for an image.</summary>
internal sealed record ImageMemoryRow
{
    public required string Memory { get; init; }
    public required Spread AllocateUs { get; init; }
    public required Spread FirstWriteUs { get; init; } // a byte of each page, once allocated
    public required Spread FreeUs { get; init; } // of an array: a full collection
}

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
        return new Spread(
            Figure.Rounded(spread.Median, digits), Figure.Rounded(spread.Lowest, digits), Figure.Rounded(spread.Highest, digits));
    }
}
