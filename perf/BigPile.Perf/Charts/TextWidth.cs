using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Charts;

/// <summary>Estimates the width of a text without a font, rather too wide than too narrow.</summary>
internal static class TextWidth
{
    /// <summary>An estimate in pixels.</summary>
    internal static double Of(string text, double fontPixels) => text.Sum(WidthOf) * fontPixels;

    /// <summary>Breaks the text into lines at spaces. A line exceeds the limit only if a word does.</summary>
    internal static IReadOnlyList<string> Lines(string text, double fontPixels, double limitPixels)
    {
        var lines = new List<string>();
        foreach (string word in text.Split(' '))
        {
            if (lines.Count > 0 && Of($"{lines[^1]} {word}", fontPixels) <= limitPixels)
                lines[^1] += " " + word;
            else
                lines.Add(word);
        }
        return lines;
    }

    private static double WidthOf(char c) => c switch
    {
        'i' or 'j' or 'l' or 'I' or '.' or ',' or ':' or ';' or '\'' or '|' or '!' => 0.32,
        ' ' or '\u00a0' or 'f' or 't' or 'r' or '(' or ')' or '-' => 0.42,
        'm' or 'w' or 'M' or 'W' or '%' or '@' => 0.95,
        >= 'A' and <= 'Z' => 0.72,
        _ => 0.62,
    };
}
