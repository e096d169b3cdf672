using System;
using BigPile.Caching.Clocks;

namespace BigPile.Caching.Entries;

/// <summary>What the instants of an entry's head are by now.</summary>
internal static class EntryTimes
{
    private const int AheadShift = 4;

    /// <summary>The expiry that is written for a sliding entry that was used: a sixteenth ahead of what the use gives.</summary>
    internal static long RenewalOf(this CacheClock clock, in EntryHead head, long used) =>
        RenewalOf(head.SlidingTicks, clock.SlidingEndOf(head), used);

    /// <inheritdoc cref="RenewalOf(CacheClock, in EntryHead, long)"/>
    internal static long RenewalOf(long slidingTicks, long end, long used) =>
        Math.Min(end, CacheClock.Add(used, slidingTicks + AheadOf(slidingTicks)));

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
        // Where the end cut the last use's time short, that use was later than it looks; what a put wrote is not ahead, nor used before it.
        long used = stated - head.SlidingTicks - AheadOf(head.SlidingTicks);
        long steps = Math.Min(clock.StepsSince(used), clock.StepsSince(head.Version));
        return Math.Min(clock.SlidingEndOf(head), CacheClock.Add(stated, steps));
    }

    /// <summary>The instant that no use of a sliding entry goes beyond.</summary>
    internal static long SlidingEndOf(this CacheClock clock, in EntryHead head) =>
        head.SlidingEnd == long.MaxValue ? long.MaxValue : CacheClock.Add(head.SlidingEnd, clock.StepsSince(head.Version));

    /// <summary>How much later than the use gives the end of a sliding entry is that is written for it.</summary>
    internal static long AheadOf(long slidingTicks) => slidingTicks >> AheadShift;

    /// <summary>What a table tells of an entry that is gone from an instant of the cache's time.</summary>
    internal static EntryInfo Describe(this CacheClock clock, ulong version, int valueBytes, long expiresAt)
    {
        if (expiresAt == long.MaxValue)
            return new EntryInfo(version, valueBytes);
        long ticks = expiresAt - clock.StepsSince(version);
        return new EntryInfo(version, valueBytes) { ExpiryTicks = ticks, ClockAhead = clock.ToSystem(expiresAt) - ticks };
    }
}
