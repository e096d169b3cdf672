using System;
using System.Globalization;
using BigPile.AspNetCore.Tables;

namespace BigPile.Http.Protocol;

/// <summary>
/// Writes the sliding time of an entry to the tick: as the headers do where they can, else as days, hours, minutes and seconds.
/// </summary>
internal static class SlidingText
{
    private const string ToTheTick = "c";

    internal static string Of(TimeSpan time) =>
        time <= Duration.Longest && time.Ticks % TimeSpan.TicksPerMillisecond == 0
            ? Duration.Format(time)
            : time.ToString(ToTheTick, CultureInfo.InvariantCulture);

    /// <summary>Reads a time that the headers could not state.</summary>
    internal static bool TryParse(string text, out TimeSpan? time)
    {
        bool isTime = TimeSpan.TryParseExact(text, ToTheTick, CultureInfo.InvariantCulture, out TimeSpan found) && found > TimeSpan.Zero;
        time = isTime ? found : null;
        return isTime;
    }
}
