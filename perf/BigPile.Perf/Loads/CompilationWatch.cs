using System;
using System.Diagnostics;
using System.Runtime;

namespace BigPile.Perf.Loads;

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
