using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Perf.Graphs;

/// <summary>Makes graphs and tells what they take of the managed heap.</summary>
internal static class HeapMeter
{
    /// <summary>Makes something.</summary>
    /// <returns>It, the seconds that it took, and the bytes by which the managed heap grew, garbage left out.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // what the making needed, such as the catalog, is out of every frame when it is measured
    internal static (T Made, double Seconds, long ManagedBytes) Make<T>(Func<T> make)
    {
        long bytesBefore = GC.GetTotalMemory(forceFullCollection: true);
        long start = Stopwatch.GetTimestamp();
        T made = make();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return (made, seconds, GC.GetTotalMemory(forceFullCollection: true) - bytesBefore);
    }

    /// <summary>Collects, and refuses to go on when something survives that would be measured with what comes next.</summary>
    /// <exception cref="LoadException">It is still there.</exception>
    internal static void RequireGone(WeakReference reference, string what)
    {
        GC.Collect();
        if (reference.IsAlive)
            throw new LoadException($"{what} is still in memory. The figures of what comes next would be wrong.");
    }
}
