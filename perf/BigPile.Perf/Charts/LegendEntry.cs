using System.Collections.Generic;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Charts;

/// <summary>Where a series is named: in rows above the plot.</summary>
/// <param name="Name">Its name.</param>
/// <param name="X">Where its sample begins.</param>
/// <param name="Row">In which row, from 0.</param>
internal sealed record LegendEntry(string Name, double X, int Row)
{
    /// <summary>How long the sample of a line is.</summary>
    internal const double SampleWidth = 30;

    private const double Distance = 20;

    /// <summary>From the sample's beginning to the name's.</summary>
    internal const double TextOffset = SampleWidth + 7;

    /// <summary>Places each entry after the previous one, in the next row where it does not fit.</summary>
    internal static IReadOnlyList<LegendEntry> Place(IReadOnlyList<RunSeries> series, double left, double right)
    {
        var entries = new List<LegendEntry>();
        double x = left;
        int row = 0;
        foreach (RunSeries one in series)
        {
            double width = TextOffset + TextWidth.Of(one.Name, ChartFrame.FontPixels);
            if (x > left && x + width > right)
            {
                x = left;
                row++;
            }
            entries.Add(new LegendEntry(one.Name, x, row));
            x += width + Distance;
        }
        return entries;
    }
}
