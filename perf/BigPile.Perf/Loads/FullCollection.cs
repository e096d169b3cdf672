using System;
using System.Diagnostics;

namespace BigPile.Perf.Loads;

/// <summary>Measures full garbage collections.</summary>
internal static class FullCollection
{
    private const int Repetitions = 5;

    /// <summary>Collects several times, each time all generations, blocking.</summary>
    /// <returns>The longest of them in milliseconds.</returns>
    internal static double MeasureLongestMs()
    {
        double longestMs = 0;
        for (int i = 0; i < Repetitions; i++)
        {
            long start = Stopwatch.GetTimestamp();
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            longestMs = Math.Max(longestMs, Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }
        return longestMs;
    }
}
