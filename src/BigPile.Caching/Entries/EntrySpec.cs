using System;

namespace BigPile.Caching.Entries;

/// <summary>Expiry, priority and tags that an entry is put with. Instants are in ticks of the cache's clock.</summary>
/// <remarks>All members are required, so the compiler finds who forgets a new one.</remarks>
internal readonly ref struct EntrySpec
{
    /// <summary>No expiry, normal priority, no tags.</summary>
    internal static EntrySpec Plain => new()
    {
        ExpiresAt = long.MaxValue,
        SlidingTicks = 0,
        SlidingEnd = long.MaxValue,
        FailSafeTicks = 0,
        Priority = EntryPriority.Normal,
        Tags = default,
    };

    /// <summary>The instant of expiry; the largest number: never.</summary>
    internal required long ExpiresAt { get; init; }

    /// <summary>The sliding time in ticks: each use extends the expiry to this time after it; 0: not sliding.</summary>
    internal required long SlidingTicks { get; init; }

    /// <summary>The latest instant that uses extend the expiry to.</summary>
    internal required long SlidingEnd { get; init; }

    /// <summary>How long the entry stays behind its expiry, in ticks; 0: not at all. Without an expiry it means nothing.</summary>
    internal required long FailSafeTicks { get; init; }

    /// <summary>Whether its head states <see cref="FailSafeTicks"/>.</summary>
    internal bool HasFailSafe => FailSafeTicks != 0 && ExpiresAt != long.MaxValue;

    internal required EntryPriority Priority { get; init; }

    internal required ReadOnlySpan<ulong> Tags { get; init; }

    /// <summary>Whether the head of such an entry has no extension. So it must ask for every attribute that one has.</summary>
    internal bool IsPlain => ExpiresAt == long.MaxValue && Priority == EntryPriority.Normal && Tags.IsEmpty;
}
