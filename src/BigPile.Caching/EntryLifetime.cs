using System;

namespace BigPile.Caching;

/// <summary>How long an entry is to live from now on.</summary>
/// <param name="MaxAge">The time after which the entry is gone; with neither this nor an instant, as long again as when it was put.</param>
/// <param name="ExpiresAt">The instant from which the entry is gone.</param>
/// <param name="Sliding">The time that each use gives; what it was, if left out.</param>
/// <param name="IsEndless">The entry stays whatever time goes by, and the rest does not count.</param>
internal readonly record struct EntryLifetime(TimeSpan? MaxAge, DateTimeOffset? ExpiresAt, TimeSpan? Sliding, bool IsEndless = false)
{
    internal static EntryLifetime Endless => new(null, null, null, IsEndless: true);
}
