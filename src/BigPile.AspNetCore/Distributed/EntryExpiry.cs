using System;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.AspNetCore.Distributed;

/// <summary>Converts the entry options of a distributed cache to those of a table.</summary>
internal static class EntryExpiry
{
    // Under these prefixes Microsoft's HybridCache and ours store when a tag was removed. Evicting such an entry before the values it
    // invalidates would bring them back.
    private static readonly string[] PinnedPrefixes = ["__MSFT_HCT__", "bigpile:tag:"];

    internal static EntryOptions? Of(string key, DistributedCacheEntryOptions options, TimeProvider time)
    {
        Check(options, time);
        EntryPriority? priority = IsNeverEvicted(key) ? EntryPriority.NeverEvict : null;
        TimeSpan? maxAge = options.AbsoluteExpirationRelativeToNow;
        DateTimeOffset? expiresAt = maxAge == null ? options.AbsoluteExpiration : null;
        if (priority == null && maxAge == null && expiresAt == null && options.SlidingExpiration == null)
            return null;
        return new EntryOptions { MaxAge = maxAge, ExpiresAt = expiresAt, Sliding = options.SlidingExpiration, Priority = priority };
    }

    // The options check relative times themselves, but have no clock for this one.
    private static void Check(DistributedCacheEntryOptions options, TimeProvider time)
    {
        if (options.AbsoluteExpirationRelativeToNow == null && options.AbsoluteExpiration is { } end && end <= time.GetUtcNow())
        {
            throw new ArgumentOutOfRangeException(
                nameof(DistributedCacheEntryOptions.AbsoluteExpiration), end, "The absolute expiration value must be in the future.");
        }
    }

    private static bool IsNeverEvicted(string key)
    {
        foreach (string prefix in PinnedPrefixes)
        {
            if (key.StartsWith(prefix, StringComparison.Ordinal))
                return true;
        }
        return false;
    }
}
