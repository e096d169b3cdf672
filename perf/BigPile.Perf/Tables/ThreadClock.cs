using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Perf.Tables;

/// <summary>The processor time of the calling thread, excluding time in which it did not run.</summary>
internal static partial class ThreadClock
{
    private const int ThreadCpuClock = 3;
    private const long NsPerSecond = 1_000_000_000;

    /// <summary>Whether the system reports it.</summary>
    internal static bool IsSupported => OperatingSystem.IsLinux();

    /// <summary>The nanoseconds so far; 0 where the system does not report it.</summary>
    internal static long NowNs() => OperatingSystem.IsLinux() ? Read() : 0;

    [SupportedOSPlatform("linux")]
    private static long Read()
    {
        _ = GetTime(ThreadCpuClock, out TimeSpec time);
        return time.Seconds * NsPerSecond + time.Nanoseconds;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, out TimeSpec time);

    private struct TimeSpec
    {
        internal long Seconds;
        internal long Nanoseconds;
    }
}
