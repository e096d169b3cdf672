using System;

namespace BigPile.Caching.Tests.Reads;

/// <summary>A clock that has something done once it was read, before the reader is told what that said.</summary>
internal sealed class HookedTime : TimeProvider
{
    internal TimeSpan Passed { get; set; }

    internal Action? Hook { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero) + Passed;

    public override long GetTimestamp()
    {
        long ticks = Passed.Ticks;
        Action? hook = Hook;
        Hook = null;
        hook?.Invoke();
        return ticks;
    }
}
