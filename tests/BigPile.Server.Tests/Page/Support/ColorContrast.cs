using System;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace BigPile.Server.Tests.Page.Support;

/// <summary>The contrast of two colours by WCAG 2.2, "relative luminance" and "contrast ratio".</summary>
internal static partial class ColorContrast
{
    /// <summary>From 1, which is none, to 21, which is black on white.</summary>
    internal static double Between(string color, string ground)
    {
        double[] both = [LuminanceOf(color), LuminanceOf(ground)];
        return (both.Max() + 0.05) / (both.Min() + 0.05);
    }

    private static double LuminanceOf(string color)
    {
        double[] parts = [.. Numbers().Matches(
            color).Take(3).Select(static part => Linear(double.Parse(part.Value, CultureInfo.InvariantCulture) / 255))];
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    }

    private static double Linear(double part) => part <= 0.04045 ? part / 12.92 : Math.Pow((part + 0.055) / 1.055, 2.4);

    [GeneratedRegex(@"[\d.]+")]
    private static partial Regex Numbers();
}
