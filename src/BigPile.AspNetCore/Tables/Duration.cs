using System;
using System.Globalization;

namespace BigPile.AspNetCore.Tables;

/// <summary>
/// Times as headers and documents state them: <c>30s</c>, <c>500ms</c>, <c>5m</c>, <c>2h</c>, <c>1d</c>, or seconds without a unit.
/// </summary>
internal static class Duration
{
    internal const string Form = "a whole number above zero with ms, s, m, h or d behind it; without a unit it is seconds";

    /// <summary>The longest time, 100 years. Entries that should live longer are put without an expiry.</summary>
    internal static readonly TimeSpan Longest = TimeSpan.FromDays(36_525);

    /// <summary>Reads a time.</summary>
    /// <returns><see langword="false"/> if the text is no time, or not above zero, or beyond <see cref="Longest"/>.</returns>
    internal static bool TryParse(ReadOnlySpan<char> text, out TimeSpan time)
    {
        time = default;
        text = text.Trim(" \t");
        int digits = text.IndexOfAnyExceptInRange('0', '9');
        ReadOnlySpan<char> unit = digits < 0 ? "s" : text[digits..];
        ReadOnlySpan<char> number = digits < 0 ? text : text[..digits];
        long ticks = TicksOf(unit);
        if (ticks == 0 || !long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out long count))
            return false;
        if (count <= 0 || count > Longest.Ticks / ticks)
            return false;
        time = new TimeSpan(count * ticks);
        return true;
    }

    /// <summary>Formats a time so that <see cref="TryParse"/> reads it back, rounded down to milliseconds and at least one.</summary>
    internal static string Format(TimeSpan time)
    {
        long ms = Math.Max(1, time.Ticks / TimeSpan.TicksPerMillisecond);
        return ms % 1000 == 0
            ? string.Create(CultureInfo.InvariantCulture, $"{ms / 1000}s")
            : string.Create(CultureInfo.InvariantCulture, $"{ms}ms");
    }

    private static long TicksOf(ReadOnlySpan<char> unit) => unit switch
    {
        "ms" => TimeSpan.TicksPerMillisecond,
        "s" => TimeSpan.TicksPerSecond,
        "m" => TimeSpan.TicksPerMinute,
        "h" => TimeSpan.TicksPerHour,
        "d" => TimeSpan.TicksPerDay,
        _ => 0,
    };
}
