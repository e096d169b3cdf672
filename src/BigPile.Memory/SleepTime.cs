using System;
using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>How long the system has slept since it was started: time that went by, though its steady clock stood still.</summary>
internal static partial class SleepTime
{
    private const int MonotonicClock = 1;
    private const int BootClock = 7;

    /// <summary>The time slept, to some microseconds; zero where the steady clock counts sleep, or nothing is known of it.</summary>
    internal static TimeSpan Total =>
        OperatingSystem.IsLinux() && TryRead(BootClock, out TimeSpan boot) && TryRead(MonotonicClock, out TimeSpan awake)
            ? boot - awake
            : TimeSpan.Zero;

    private static bool TryRead(int clock, out TimeSpan time)
    {
        bool isRead = GetTime(clock, out Spec spec) == 0;
        time = isRead ? new TimeSpan(spec.Seconds * TimeSpan.TicksPerSecond + spec.Nanoseconds / TimeSpan.NanosecondsPerTick) : default;
        return isRead;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, out Spec spec);

    private struct Spec
    {
        internal nint Seconds;
        internal nint Nanoseconds;
    }
}
