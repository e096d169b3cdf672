using System;
using System.Globalization;

namespace BigPile.Http.FastPath;

/// <summary>Caches the Date header line, formatted once a second.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class DateLine
{
    private volatile Line? _line;

    /// <summary>The line with its CRLF.</summary>
    internal ReadOnlySpan<byte> At(long nowTicks)
    {
        long second = nowTicks / TimeSpan.TicksPerSecond;
        Line? line = _line;
        // A race is harmless: two threads build equal lines, and either may stay.
        if (line?.Second != second)
            _line = line = new Line(second);
        return line.Bytes;
    }

    private sealed class Line
    {
        internal Line(long second)
        {
            Second = second;
            var date = new DateTimeOffset(second * TimeSpan.TicksPerSecond, TimeSpan.Zero);
            Bytes = System.Text.Encoding.ASCII.GetBytes("Date: " + date.ToString("R", CultureInfo.InvariantCulture) + "\r\n");
        }

        internal long Second { get; }

        internal byte[] Bytes { get; }
    }
}
