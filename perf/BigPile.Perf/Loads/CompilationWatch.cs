using System;
using System.Diagnostics;
using System.Runtime;

namespace BigPile.Perf.Loads;

/// <summary>Tells when the runtime compiles nothing more, neither for the first time nor better.</summary>
/// <remarks>
/// Until then a load measures that too. What is rehearsed has to run on meanwhile, or there is nothing to compile. Thread safety: none.
/// </remarks>
internal sealed class CompilationWatch
{
    private static readonly TimeSpan QuietTime = TimeSpan.FromMilliseconds(300); // the runtime waits 100 ms for more before it begins
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(8);

    private readonly long _start = Stopwatch.GetTimestamp();
    private long _methods = -1;
    private long _since;

    /// <summary>Whether nothing has been compiled for a while; or it goes on for too long, as it may in a busy process.</summary>
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
