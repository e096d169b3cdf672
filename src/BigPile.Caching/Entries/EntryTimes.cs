using System;
using BigPile.Caching.Clocks;

namespace BigPile.Caching.Entries;

/// <summary>Converts the instants of an entry's head to present cache time; see <see cref="CacheClock"/>.</summary>
internal static class EntryTimes
{
    private const int AheadShift = 4;

    /// <summary>
    /// The expiry to store for a sliding entry that was used: a sixteenth of the sliding time later than the use requires, so that not
    /// every use stores one.
    /// </summary>
    internal static long RenewalOf(this CacheClock clock, in EntryHead head, long used) =>
        RenewalOf(head.SlidingTicks, clock.SlidingEndOf(head), used);

    /// <inheritdoc cref="RenewalOf(CacheClock, in EntryHead, long)"/>
    internal static long RenewalOf(long slidingTicks, long end, long used) =>
        Math.Min(end, CacheClock.Add(used, slidingTicks + AheadOf(slidingTicks)));

    /// <summary>
    /// The expiry of an entry, in present cache time. That of a sliding entry was stored at its last use, or at one shortly before.
    /// </summary>
    internal static long ExpiryOf(this CacheClock clock, in EntryHead head)
    {
        long stated = head.ExpiresAt;
        if (stated == long.MaxValue || !clock.HasSteps)
            return stated;
        if (!head.IsSliding)
            return CacheClock.Add(stated, clock.StepsSince(head.Version));
        // The end may have cut the expiry short, so the last use may be later than this. A put stores no surplus, and no use is before it.
        long used = stated - head.SlidingTicks - AheadOf(head.SlidingTicks);
        long steps = Math.Min(clock.StepsSince(used), clock.StepsSince(head.Version));
        return Math.Min(clock.SlidingEndOf(head), CacheClock.Add(stated, steps));
    }

    /// <summary>The latest instant that a sliding entry's expiry extends to, in present cache time.</summary>
    internal static long SlidingEndOf(this CacheClock clock, in EntryHead head) =>
        head.SlidingEnd == long.MaxValue ? long.MaxValue : CacheClock.Add(head.SlidingEnd, clock.StepsSince(head.Version));

    /// <summary>The surplus of a stored sliding expiry over what the use requires, in ticks.</summary>
    internal static long AheadOf(long slidingTicks) => slidingTicks >> AheadShift;

    /// <summary>When a share of an entry's lifetime is over, in the time of its version. Not before that in present cache time.</summary>
    internal static long PartOf(ulong version, long expiresAt, double share)
    {
        long put = CacheClock.TicksOf(version);
        return put + (long)(Math.Max(0, expiresAt - put) * share); // a version may be of a second later
    }

    /// <summary>The public information on an entry that expires at an instant of cache time.</summary>
    internal static EntryInfo Describe(this CacheClock clock, ulong version, int valueBytes, long expiresAt)
    {
        if (expiresAt == long.MaxValue)
            return new EntryInfo(version, valueBytes);
        long ticks = expiresAt - clock.StepsSince(version);
        return new EntryInfo(version, valueBytes) { ExpiryTicks = ticks, ClockAhead = clock.ToSystem(expiresAt) - ticks };
    }
}
