using System;
using System.Diagnostics;

namespace BigPile.Perf.Scales;

/// <summary>Times to the nanosecond, where the system's clock has them; a <see cref="TimeSpan"/> has steps of a hundred.</summary>
internal static class ScaleClock
{
    private const int Readings = 1001;
    private const long NanosecondsPerSecond = 1_000_000_000;

    internal static long Nanoseconds(long ticks) =>
        Stopwatch.Frequency == NanosecondsPerSecond ? ticks : (long)(ticks * ((double)NanosecondsPerSecond / Stopwatch.Frequency));

    /// <summary>What reading the clock takes: the median of many.</summary>
    internal static long OwnNanoseconds()
    {
        var readings = new long[Readings];
        for (int i = 0; i < readings.Length; i++)
        {
            long start = Stopwatch.GetTimestamp();
            readings[i] = Nanoseconds(Stopwatch.GetTimestamp() - start);
        }
        Array.Sort(readings);
        return readings[readings.Length / 2];
    }
}
