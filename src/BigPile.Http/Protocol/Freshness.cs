using System;
using BigPile.Caching;

namespace BigPile.Http.Protocol;

/// <summary>An entry's age and remaining lifetime, in HTTP's whole seconds.</summary>
internal static class Freshness
{
    /// <summary>The seconds since the entry was put; never negative.</summary>
    internal static long AgeSeconds(in EntryInfo info, long nowTicks) =>
        Math.Max(0, nowTicks - info.PutAt.UtcTicks) / TimeSpan.TicksPerSecond;

    /// <summary>The seconds until the entry expires; never negative.</summary>
    internal static long RemainingSeconds(in EntryInfo info, long nowTicks) =>
        Math.Max(0, info.ExpiryTicks - nowTicks) / TimeSpan.TicksPerSecond;

    /// <summary>The lifetime of an expiring entry, from put to expiry: a cache subtracts the age itself (RFC 9111, 4.2).</summary>
    internal static long LifetimeSeconds(in EntryInfo info) =>
        Math.Max(0, info.ExpiryTicks - info.PutAt.UtcTicks) / TimeSpan.TicksPerSecond;

    /// <summary>Whether an entry is older than a client accepts.</summary>
    internal static bool IsStale(in EntryInfo info, long nowTicks, long maxAgeSeconds) =>
        (nowTicks - info.PutAt.UtcTicks) / (double)TimeSpan.TicksPerSecond > maxAgeSeconds;

    /// <summary>The time of the put, in HTTP's resolution.</summary>
    internal static DateTimeOffset LastModified(in EntryInfo info)
    {
        DateTimeOffset putAt = info.PutAt;
        return putAt.AddTicks(-(putAt.Ticks % TimeSpan.TicksPerSecond));
    }
}
