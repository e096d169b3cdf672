using System;

namespace BigPile.Caching.Entries;

/// <summary>What an entry is put with, beside key and value; all instants in ticks of UTC.</summary>
internal readonly ref struct EntrySpec
{
    /// <summary>An entry that never expires, of normal priority, without tags.</summary>
    internal static EntrySpec Plain => new() { ExpiresAt = long.MaxValue, Priority = EntryPriority.Normal };

    /// <summary>The instant from which the entry is gone; the largest number: never.</summary>
    internal long ExpiresAt { get; init; }

    /// <summary>The time that each use gives; 0: uses give none.</summary>
    internal long SlidingTicks { get; init; }

    /// <summary>The instant that no use goes beyond.</summary>
    internal long SlidingEnd { get; init; }

    internal EntryPriority Priority { get; init; }

    internal ReadOnlySpan<ulong> Tags { get; init; }

    internal bool IsPlain => ExpiresAt == long.MaxValue && Priority == EntryPriority.Normal && Tags.IsEmpty;
}
