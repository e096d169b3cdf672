using System;
using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>How long the system was suspended since boot: time that its monotonic clock does not count.</summary>
internal static partial class SleepTime
{
    private const int MonotonicClock = 1;
    private const int BootClock = 7;

    /// <summary>The suspended time, to some microseconds; zero if the monotonic clock counts it, or it is unknown.</summary>
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
