using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Charts;

/// <summary>The style of a series: colour, shape, and for a baseline dashes and hollow marks.</summary>
internal sealed record SeriesStyle(string ColorClass, int Shape, bool IsBaseline)
{
    private static readonly Func<double, double, string>[] Shapes =
    [
        static (x, y) => Path($"M{x - 4.5:F1} {y:F1}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z"),
        static (x, y) => Path($"M{x - 4:F1} {y - 4:F1}h8v8h-8Z"),
        static (x, y) => Path($"M{x:F1} {y - 5.5:F1}l5.2 9.3h-10.4Z"),
        static (x, y) => Path($"M{x:F1} {y - 6:F1}l6 6l-6 6l-6 -6Z"),
        static (x, y) => Path($"M{x:F1} {y + 5.5:F1}l5.2 -9.3h-10.4Z"),
        static (x, y) => Path($"M{x - 5.2:F1} {y:F1}l2.6 -4.5h5.2l2.6 4.5l-2.6 4.5h-5.2Z"),
    ];

    /// <summary>The classes of its marks.</summary>
    internal string MarkerClasses => $"{ColorClass} marker{(IsBaseline ? " hollow" : "")}";

    /// <summary>The classes of its line.</summary>
    internal string LineClasses => $"{ColorClass} line{(IsBaseline ? " dashed" : "")}";

    /// <summary>Its mark as the data of a path.</summary>
    internal string MarkerAt(double x, double y) => Shapes[Shape](x, y);

    /// <summary>
    /// A style for each series. BigPile's series take the colours from the first on, baselines from the last back, so that both keep theirs
    /// from chart to chart. With more series than colours the shapes differ.
    /// </summary>
    internal static IReadOnlyList<SeriesStyle> Of(IReadOnlyList<RunSeries> series)
    {
        int own = 0;
        int baselines = 0;
        return [.. series.Select(one => Of(one.IsBaseline ? ChartTheme.SeriesColors - 1 - baselines++ : own++, one.IsBaseline))];
    }

    private static SeriesStyle Of(int number, bool isBaseline)
    {
        int color = (number % ChartTheme.SeriesColors + ChartTheme.SeriesColors) % ChartTheme.SeriesColors;
        int round = Math.Abs(number - color) / ChartTheme.SeriesColors;
        return new SeriesStyle($"s{color + 1}", (color + round) % Shapes.Length, isBaseline);
    }

    private static string Path(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
