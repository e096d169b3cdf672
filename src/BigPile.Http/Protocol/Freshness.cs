using System;
using BigPile.Caching;

namespace BigPile.Http.Protocol;

/// <summary>An entry's age and remaining lifetime, in HTTP's whole seconds.</summary>
internal static class Freshness
{
    /// <summary>The seconds since the entry was put; never negative.</summary>
    internal static long AgeSeconds(long ageTicks) => Math.Max(0, ageTicks) / TimeSpan.TicksPerSecond;

    /// <summary>The seconds until an expiring entry expires; never negative.</summary>
    internal static long RemainingSeconds(TimeSpan lifetime, long ageTicks) =>
        Math.Max(0, lifetime.Ticks - ageTicks) / TimeSpan.TicksPerSecond;

    /// <summary>The lifetime of an expiring entry, from put to expiry: a cache subtracts the age itself (RFC 9111, 4.2).</summary>
    internal static long LifetimeSeconds(TimeSpan lifetime) => Math.Max(0, lifetime.Ticks) / TimeSpan.TicksPerSecond;

    /// <summary>Whether an entry is older than a client accepts.</summary>
    internal static bool IsStale(long ageTicks, long maxAgeSeconds) => ageTicks / (double)TimeSpan.TicksPerSecond > maxAgeSeconds;

    /// <summary>The time of the put, in HTTP's resolution.</summary>
    internal static DateTimeOffset LastModified(in EntryInfo info)
    {
        DateTimeOffset putAt = info.PutAt;
        return putAt.AddTicks(-(putAt.Ticks % TimeSpan.TicksPerSecond));
    }
}
