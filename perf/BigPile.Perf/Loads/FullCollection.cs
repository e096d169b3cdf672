using System;
using System.Diagnostics;
using System.Runtime;

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

/// <summary>Detects when the runtime has finished compiling, including recompilation with optimization.</summary>
/// <remarks>
/// Until then a load would measure compilation too. The warm-up must keep running meanwhile, or there is nothing to compile. Thread safety:
/// none.
/// </remarks>
internal sealed class CompilationWatch
{
    // the runtime waits 100 ms for further methods before it begins
    private static readonly TimeSpan QuietTime = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(8);

    private readonly long _start = Stopwatch.GetTimestamp();
    private long _methods = -1;
    private long _since;

    /// <summary>Whether nothing was compiled for a while, or it has taken too long, as it may in a busy process.</summary>
    internal bool IsOver
    {
        get
        {
            long methods = JitInfo.GetCompiledMethodCount();
            if (methods != _methods)
                (_methods, _since) = (methods, Stopwatch.GetTimestamp());
            return Stopwatch.GetElapsedTime(_since) >= QuietTime || Stopwatch.GetElapsedTime(_start) >= Longest;
        }
    }
}

/// <summary>Whether loads run only once with meaningless figures, for tests of the console.</summary>
/// <remarks>An environment variable, so that child processes of the console inherit it.</remarks>
internal static class Brevity
{
    internal const string Variable = "BIGPILE_PERF_BRIEF";

    /// <summary>Whether warm-ups and repeats are minimal.</summary>
    internal static bool IsWanted { get; } = Environment.GetEnvironmentVariable(Variable) == "1";

    /// <summary>The amount of work that only serves to make figures meaningful.</summary>
    internal static int Of(int usual, int brief) => IsWanted ? brief : usual;

    /// <inheritdoc cref="Of(int, int)"/>
    internal static TimeSpan Of(TimeSpan usual, TimeSpan brief) => IsWanted ? brief : usual;
}
