using System;
using BigPile.Caching.Clocks;

namespace BigPile.Caching.Entries;

/// <summary>What the instants of an entry's head are by now.</summary>
internal static class EntryTimes
{
    private const int AheadShift = 4;

    /// <summary>How far ahead the renewed expiry of a sliding entry is written: a sixteenth of what each use gives.</summary>
    internal static long AheadOf(long slidingTicks) => slidingTicks >> AheadShift;

    /// <summary>
    /// The instant that an entry states, as the cache's time has it by now. That of a sliding one was written down for its last use, or for
    /// one that is a little ahead.
    /// </summary>
    internal static long ExpiryOf(this CacheClock clock, in EntryHead head)
    {
        long stated = head.ExpiresAt;
        if (stated == long.MaxValue || !clock.HasSteps)
            return stated;
        if (!head.IsSliding)
            return CacheClock.Add(stated, clock.StepsSince(head.Version));
        // Where the end cut the last use's time short, that use was later than it looks.
        long used = stated - head.SlidingTicks - AheadOf(head.SlidingTicks);
        return Math.Min(clock.SlidingEndOf(head), CacheClock.Add(stated, clock.StepsSince(used)));
    }

    /// <summary>The instant that no use of a sliding entry goes beyond.</summary>
    internal static long SlidingEndOf(this CacheClock clock, in EntryHead head) =>
        head.SlidingEnd == long.MaxValue ? long.MaxValue : CacheClock.Add(head.SlidingEnd, clock.StepsSince(head.Version));

    /// <summary>What a table tells of an entry.</summary>
    internal static EntryInfo Describe(this CacheClock clock, in EntryHead head, int valueBytes) =>
        head.HasExpiry ? clock.Describe(head.Version, valueBytes, clock.ExpiryOf(head)) : new EntryInfo(head.Version, valueBytes);

    /// <summary>What a table tells of an entry that is gone from an instant of the cache's time.</summary>
    internal static EntryInfo Describe(this CacheClock clock, ulong version, int valueBytes, long expiresAt)
    {
        if (expiresAt == long.MaxValue)
            return new EntryInfo(version, valueBytes);
        long ticks = expiresAt - clock.StepsSince(version);
        return new EntryInfo(version, valueBytes) { ExpiryTicks = ticks, ClockAhead = clock.ToSystem(expiresAt) - ticks };
    }
}
