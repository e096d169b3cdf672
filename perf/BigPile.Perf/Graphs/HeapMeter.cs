using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Perf.Graphs;

/// <summary>Builds graphs and measures the managed heap that they take.</summary>
internal static class HeapMeter
{
    /// <summary>Makes something.</summary>
    /// <returns>The result, the seconds that it took, and the growth of the managed heap in bytes without garbage.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // temporaries such as the catalog are out of every frame when the result is measured
    internal static (T Made, double Seconds, long ManagedBytes) Make<T>(Func<T> make)
    {
        long bytesBefore = GC.GetTotalMemory(forceFullCollection: true);
        long start = Stopwatch.GetTimestamp();
        T made = make();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return (made, seconds, GC.GetTotalMemory(forceFullCollection: true) - bytesBefore);
    }

    /// <summary>Collects, and throws if something survives that the next measurement would include.</summary>
    /// <exception cref="LoadException">It is still there.</exception>
    internal static void RequireGone(WeakReference reference, string what)
    {
        GC.Collect();
        if (reference.IsAlive)
            throw new LoadException($"{what} is still in memory. The figures of what comes next would be wrong.");
    }
}
