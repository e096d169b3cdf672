using System;
using BigPile.Durability;

namespace BigPile.Caching;

/// <summary>The version, size and times of an entry.</summary>
/// <param name="Version">Higher than that of every entry put before in the same pile; a new one at each put. It survives restarts.</param>
/// <param name="ValueBytes">The bytes of the value as it is stored.</param>
public readonly record struct EntryInfo(ulong Version, int ValueBytes)
{
    /// <summary>
    /// When the entry was put, to the millisecond, in the cache's time. That follows the system's clock. Where the clock was set back, it
    /// continues from where it was; where versions had been reserved when the process was killed, it is up to a second later.
    /// </summary>
    public DateTimeOffset PutAt => DateTimeOffset.FromUnixTimeMilliseconds((long)(Version >> Versions.ClockShift));

    /// <summary>
    /// When the entry expires by the system's clock if it is not used before; <see langword="null"/>: never.
    /// </summary>
    public DateTimeOffset? ExpiresAt => ExpiryTicks == 0 ? null : new DateTimeOffset(ExpiryTicks + ClockAhead, TimeSpan.Zero);

    /// <summary>The time from the put to <see cref="ExpiresAt"/>; <see langword="null"/>: it does not expire.</summary>
    public TimeSpan? Lifetime => ExpiryTicks == 0 ? null : new TimeSpan(ExpiryTicks - PutAt.UtcTicks);

    /// <summary>The instant of <see cref="ExpiresAt"/> in the time that <see cref="PutAt"/> is of, in ticks of UTC; 0: none.</summary>
    internal long ExpiryTicks { get; init; }

    /// <summary>How far the system's clock is ahead of that time, in ticks; only where there is an expiry.</summary>
    internal long ClockAhead { get; init; }
}
