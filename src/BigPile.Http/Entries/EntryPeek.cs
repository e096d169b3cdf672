using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Linq;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Entries;

/// <summary>Reads an entry without using it, and reports its options beside the value.</summary>
/// <remarks>
/// A peek counts neither as a hit nor as a miss, does not prolong a sliding expiration, and does not protect the entry from eviction.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal static class EntryPeek
{
    /// <summary>Takes a copy of the entry's metadata and a lease of its value, both of one version.</summary>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    internal static bool TryTake(
        CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, out EntryCopy entry, [NotNullWhen(true)] out PileLease? lease,
        out EntryInfo info)
    {
        info = default;
        while (table.ByUtf8().TryPeek(key, out entry) && table.ByUtf8().TryLease(key, isUse: false, out lease, out info))
        {
            if (info.Version == entry.Info.Version)
                return true;
            lease.Dispose(); // replaced between the two
        }
        lease = null;
        return false;
    }

    /// <summary>A function that checks whether a version is still the entry's current one.</summary>
    internal static Func<bool> IsCurrent(CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ulong version)
    {
        byte[] kept = key.ToArray();
        return () =>
        {
            try
            {
                return table.ByUtf8().TryPeek(kept, out EntryCopy entry) && entry.Info.Version == version;
            }
            catch (ObjectDisposedException)
            {
                return false; // the table was dropped
            }
        };
    }

    /// <summary>Sets the headers that only a peek returns: priority, tags, and the parts of the lifetime.</summary>
    internal static void DescribeTo(IHeaderDictionary headers, in EntryCopy entry, CacheClock clock)
    {
        headers[LifetimeHeaders.Priority] = Priorities.NameOf(entry.Priority);
        if (entry.Tags.Length != 0)
            headers[EntryHeaders.TagHashes] =
                string.Join(", ", entry.Tags.Select(static hash => hash.ToString("x16", CultureInfo.InvariantCulture)));
        if (entry.SlidingTicks != 0)
            headers[LifetimeHeaders.Sliding] = SlidingText.Of(new TimeSpan(entry.SlidingTicks));
        if (entry.SlidingEnd != long.MaxValue)
            headers[LifetimeHeaders.Expires] =
                HeaderUtilities.FormatDate(new DateTimeOffset(clock.ToSystem(entry.SlidingEnd), TimeSpan.Zero));
    }
}
