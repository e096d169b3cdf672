using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Perf.Tables;

/// <summary>How long the puts of one thread took, and how much of the longest was its own work.</summary>
internal sealed class PutTimes
{
    private const long LongNs = 1_000_000;

    internal LatencyHistogram All { get; } = new();

    /// <summary>Puts that took over a millisecond by the clock.</summary>
    internal long LongPuts { get; private set; }

    /// <summary>The most processor time of one of those: of the put, and of some before it.</summary>
    internal long MaxCpuNs { get; private set; }

    internal long CpuMarkNs { get; set; } // the processor time of the thread, some puts ago

    internal void Add(long ns)
    {
        All.Add(ns);
        if (ns < LongNs)
            return;
        LongPuts++;
        long cpuNs = ThreadClock.NowNs();
        MaxCpuNs = Math.Max(MaxCpuNs, Math.Min(ns, cpuNs - CpuMarkNs)); // no put worked for longer than it took
        CpuMarkNs = cpuNs;
    }
}

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
