using System;

namespace BigPile.Caching.Entries;

/// <summary>Expiry, priority and tags that an entry is put with. Instants are in ticks of the cache's clock.</summary>
internal readonly ref struct EntrySpec
{
    /// <summary>No expiry, normal priority, no tags.</summary>
    internal static EntrySpec Plain => new() { ExpiresAt = long.MaxValue, Priority = EntryPriority.Normal };

    /// <summary>The instant of expiry; the largest number: never.</summary>
    internal long ExpiresAt { get; init; }

    /// <summary>The sliding time in ticks: each use extends the expiry to this time after it; 0: not sliding.</summary>
    internal long SlidingTicks { get; init; }

    /// <summary>The latest instant that uses extend the expiry to.</summary>
    internal long SlidingEnd { get; init; }

    internal EntryPriority Priority { get; init; }

    internal ReadOnlySpan<ulong> Tags { get; init; }

    internal bool IsPlain => ExpiresAt == long.MaxValue && Priority == EntryPriority.Normal && Tags.IsEmpty;
}
