using System;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Liveness;

/// <summary>The lifetime of a sliding entry as a read saw it. Valid once the read has validated slot and block.</summary>
/// <param name="Version">The entry's version.</param>
/// <param name="ExpiresAt">When the entry expires by its block, in ticks.</param>
/// <param name="SlidingTicks">The sliding time in ticks; 0: the entry does not slide.</param>
/// <param name="End">The absolute expiry in ticks, which no use extends.</param>
internal readonly record struct SlidingUse(ulong Version, long ExpiresAt, long SlidingTicks, long End)
{
    internal SlidingUse(CacheClock clock, in EntryHead head)
        : this(head.Version, clock.ExpiryOf(head), head.SlidingTicks, clock.SlidingEndOf(head))
    {
    }

    /// <summary>When the entry expires by a recorded use (<see cref="ReadBuffer.Record.Time"/>).</summary>
    internal long EndAfter(long time, CacheClock clock)
    {
        long used = time & ~ReadBuffer.Record.Ahead;
        long life = used == time ? SlidingTicks : SlidingTicks + EntryTimes.AheadOf(SlidingTicks); // as far as the renewal
        return Math.Min(End, CacheClock.Add(used + clock.StepsSince(used), life));
    }
}
