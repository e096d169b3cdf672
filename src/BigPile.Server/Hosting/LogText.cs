using System;
using System.Globalization;
using System.Text;

namespace BigPile.Server.Hosting;

/// <summary>
/// Escapes clients' text for the log, so that it can't move a terminal's cursor, ring its bell or begin a new line (log injection).
/// </summary>
internal static class LogText
{
    /// <summary>A text with <c>\xHH</c> or <c>\uHHHH</c> for each character that is not printable ASCII.</summary>
    internal static string Of(string text) => text.AsSpan().ContainsAnyExceptInRange(' ', '~') ? Escape(text) : text;

    private static string Escape(string text)
    {
        var escaped = new StringBuilder(text.Length + 16);
        foreach (char one in text)
        {
            if (one is >= ' ' and <= '~')
                escaped.Append(one);
            else
                escaped.Append(
                    one <= 0xFF ? "\\x" : "\\u").Append(((int)one).ToString(one <= 0xFF ? "X2" : "X4", CultureInfo.InvariantCulture));
        }
        return escaped.ToString();
    }
}
