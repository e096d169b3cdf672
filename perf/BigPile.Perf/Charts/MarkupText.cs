using System.Net;
using System.Text;

namespace BigPile.Perf.Charts;

/// <summary>Any text inside of HTML and of SVG, as content or between quotes.</summary>
internal static class MarkupText
{
    /// <summary>The text with markup characters encoded, and replacement characters for what XML can't represent.</summary>
    internal static string Of(string text)
    {
        var clean = new StringBuilder(text.Length);
        foreach (Rune rune in text.EnumerateRunes()) // an unpaired surrogate becomes a replacement character
            clean.Append((IsForXml(rune.Value) ? rune : Rune.ReplacementChar).ToString());
        return WebUtility.HtmlEncode(clean.ToString());
    }

    private static bool IsForXml(int value) => value is '\t' or '\n' or '\r' or (>= ' ' and not 0x7f and not 0xfffe and not 0xffff);
}
