using System;

namespace BigPile.Caching.Tests;

/// <summary>A clock that has something done once when it is read.</summary>
internal sealed class HookedTime : TimeProvider
{
    internal TimeSpan Passed { get; set; }

    internal Action? Hook { get; set; }

    /// <summary>Whether the reader is told what the clock says behind that, and not before.</summary>
    internal bool IsReadBehind { get; init; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero) + Passed;

    public override long GetTimestamp()
    {
        long ticks = Passed.Ticks;
        Action? hook = Hook;
        Hook = null;
        hook?.Invoke();
        return IsReadBehind ? Passed.Ticks : ticks;
    }
}
