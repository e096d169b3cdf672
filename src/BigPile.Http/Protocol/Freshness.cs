using System;
using BigPile.Caching;

namespace BigPile.Http.Protocol;

/// <summary>How old an entry is and how long it stays, in the whole seconds that HTTP has.</summary>
internal static class Freshness
{
    /// <summary>The seconds since the entry was put; never negative.</summary>
    internal static long AgeSeconds(in EntryInfo info, long nowTicks) =>
        Math.Max(0, nowTicks - info.PutAt.UtcTicks) / TimeSpan.TicksPerSecond;

    /// <summary>The seconds until an entry that expires is gone; never negative.</summary>
    internal static long RemainingSeconds(in EntryInfo info, long nowTicks) =>
        Math.Max(0, info.ExpiryTicks - nowTicks) / TimeSpan.TicksPerSecond;

    /// <summary>
    /// How long an entry that expires lives, from its put to its end: a cache takes the age off by itself (RFC 9111, 4.2).
    /// </summary>
    internal static long LifetimeSeconds(in EntryInfo info) =>
        Math.Max(0, info.ExpiryTicks - info.PutAt.UtcTicks) / TimeSpan.TicksPerSecond;

    /// <summary>Whether an entry is older than a client takes it.</summary>
    internal static bool IsStale(in EntryInfo info, long nowTicks, long maxAgeSeconds) =>
        (nowTicks - info.PutAt.UtcTicks) / (double)TimeSpan.TicksPerSecond > maxAgeSeconds;

    /// <summary>When the entry was put, as a date of HTTP has it.</summary>
    internal static DateTimeOffset LastModified(in EntryInfo info)
    {
        DateTimeOffset putAt = info.PutAt;
        return putAt.AddTicks(-(putAt.Ticks % TimeSpan.TicksPerSecond));
    }
}
