using System;
using System.Globalization;
using System.Linq;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
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
    /// <summary>A function that checks whether a version is still the entry's current one.</summary>
    internal static Func<bool> IsCurrent(CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ulong version)
    {
        byte[] kept = key.ToArray();
        return () =>
        {
            try
            {
                return table.ByUtf8().TryPeek(kept, out StoredEntry entry) && entry.Info.Version == version;
            }
            catch (ObjectDisposedException)
            {
                return false; // the table was dropped
            }
        };
    }

    /// <summary>Sets the headers that only a peek returns: priority, tags, and the parts of the lifetime.</summary>
    internal static void DescribeTo(IHeaderDictionary headers, in EntryAttributes attributes)
    {
        headers[LifetimeHeaders.Priority] = Priorities.NameOf(attributes.Priority);
        if (!attributes.TagHashes.IsEmpty)
            headers[EntryHeaders.TagHashes] =
                string.Join(", ", attributes.TagHashes.ToArray().Select(static hash => hash.ToString("x16", CultureInfo.InvariantCulture)));
        if (attributes.Sliding is { } sliding)
            headers[LifetimeHeaders.Sliding] = SlidingText.Of(sliding);
        if (attributes.EndsAt is { } end)
            headers[LifetimeHeaders.Expires] = HeaderUtilities.FormatDate(end);
    }
}
