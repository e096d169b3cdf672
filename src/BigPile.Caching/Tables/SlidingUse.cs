using System;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Tables;

/// <summary>What a read has seen of a sliding entry's life. It counts once the read has looked whether all is as it was.</summary>
/// <param name="Version">The entry's version.</param>
/// <param name="ExpiresAt">The instant from which the entry is gone, as its block says.</param>
/// <param name="SlidingTicks">The time that each use gives; 0 for an entry that does not slide.</param>
/// <param name="End">The instant that no use goes beyond.</param>
internal readonly record struct SlidingUse(ulong Version, long ExpiresAt, long SlidingTicks, long End)
{
    internal SlidingUse(CacheClock clock, in EntryHead head)
        : this(head.Version, clock.ExpiryOf(head), head.SlidingTicks, clock.SlidingEndOf(head))
    {
    }

    /// <summary>The instant from which the entry is gone by the time of a note (<see cref="ReadBuffer.Record.Time"/>).</summary>
    internal long EndAfter(long time, CacheClock clock)
    {
        long used = time & ~ReadBuffer.Record.Ahead;
        long life = used == time ? SlidingTicks : SlidingTicks + EntryTimes.AheadOf(SlidingTicks);
        return Math.Min(End, CacheClock.Add(used + clock.StepsSince(used), life));
    }
}
