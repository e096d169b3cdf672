using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Perf.Latencies;

/// <summary>
/// Counts how often the calling thread gave up the processor by itself in order to wait (voluntary context switches). Preemptions are not
/// included.
/// </summary>
/// <remarks>Linux counts a yield as a preemption.</remarks>
internal static unsafe partial class ThreadSwitches
{
    private const int OfThread = 1;
    private const int Words = 18; // two times of two words each, and fourteen counts
    private const int VoluntaryWord = 16;

    /// <summary>Whether the system reports it.</summary>
    internal static bool AreKnown => OperatingSystem.IsLinux();

    /// <summary>The number so far; 0 where the system does not report it.</summary>
    internal static long Count() => OperatingSystem.IsLinux() ? Read() : 0;

    [SupportedOSPlatform("linux")]
    private static long Read()
    {
        nint* usage = stackalloc nint[Words];
        return GetUsage(OfThread, usage) == 0 ? usage[VoluntaryWord] : 0;
    }

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static partial int GetUsage(int who, nint* usage);
}
