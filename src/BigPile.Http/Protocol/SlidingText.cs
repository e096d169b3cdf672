using System;
using System.Globalization;
using BigPile.AspNetCore.Tables;

namespace BigPile.Http.Protocol;

/// <summary>
/// Formats a sliding expiration exactly, to the tick: as in the headers if possible, else as days, hours, minutes and seconds.
/// </summary>
internal static class SlidingText
{
    private const string ToTheTick = "c";

    internal static string Of(TimeSpan time) =>
        time <= Duration.Longest && time.Ticks % TimeSpan.TicksPerMillisecond == 0
            ? Duration.Format(time)
            : time.ToString(ToTheTick, CultureInfo.InvariantCulture);

    /// <summary>Parses a time in the second form.</summary>
    internal static bool TryParse(string text, out TimeSpan? time)
    {
        bool isTime = TimeSpan.TryParseExact(text, ToTheTick, CultureInfo.InvariantCulture, out TimeSpan found) && found > TimeSpan.Zero;
        time = isTime ? found : null;
        return isTime;
    }
}
