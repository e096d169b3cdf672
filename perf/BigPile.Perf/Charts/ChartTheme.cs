using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace BigPile.Perf.Charts;

/// <summary>The colours of charts and page, and the style sheets that use them.</summary>
/// <remarks>
/// Series colours can be told apart without red-green vision, also by lightness where they may touch, and contrast with the background by a
/// ratio of 3 or more. The marks' shapes differ too.
/// </remarks>
internal static partial class ChartTheme
{
    /// <summary>How many colours there are for series.</summary>
    internal const int SeriesColors = 6;

    private static readonly (string Name, string Light, string Dark)[] Colors =
    [
        ("ground", "#f3f5f8", "#0d1117"),
        ("surface", "#ffffff", "#151b23"),
        ("ink", "#14181f", "#e6eaf0"),
        ("muted", "#535c69", "#9ba6b5"),
        ("line", "#d8dde5", "#2b333e"),
        ("grid", "#e6eaf0", "#262e39"),
        ("accent", "#0b57c2", "#79b0ff"),
        ("series-1", "#0b62c4", "#5aa9ff"),
        ("series-2", "#cf4a00", "#ff9155"),
        ("series-3", "#008a63", "#35c796"),
        ("series-4", "#a3397d", "#e58fc4"),
        ("series-5", "#8f6a00", "#dcb54a"),
        ("series-6", "#5b6470", "#a7b1be"),
    ];

    /// <summary>Light and dark, each under the name that a style sheet uses.</summary>
    internal static IReadOnlyList<(string Name, string Light, string Dark)> All => Colors;

    /// <summary>The rules of charts inside of a page: their colours are properties, which the page sets.</summary>
    internal static string ChartRules { get; } = Asset("chart.css");

    /// <summary>The rules of the page itself.</summary>
    internal static string PageRules { get; } = Asset("report.css");

    /// <summary>The rules of a chart in a file of its own: with literal colours, since some programs do not support properties.</summary>
    internal static string OwnRules { get; } =
        InPlace(isDark: false) + "@media (prefers-color-scheme: dark) {\n" + InPlace(isDark: true) + "}\n";

    /// <summary>The properties themselves, of one side.</summary>
    internal static string Properties(bool isDark) =>
        string.Concat(Colors.Select(color => $"--{color.Name}: {(isDark ? color.Dark : color.Light)}; "))
        + $"color-scheme: {(isDark ? "dark" : "light")};";

    private static string InPlace(bool isDark) => Property().Replace(ChartRules, use =>
    {
        (string _, string light, string dark) = Colors.Single(color => color.Name == use.Groups[1].Value);
        return isDark ? dark : light;
    });

    private static string Asset(string name)
    {
        using Stream stream = typeof(ChartTheme).Assembly.GetManifestResourceStream("charts/" + name)
            ?? throw new InvalidOperationException($"The style sheet {name} was not built in.");
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }

    [GeneratedRegex(@"var\(--([a-z0-9-]+)\)")]
    private static partial Regex Property();
}
