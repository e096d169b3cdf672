using System;
using BigPile.Access;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Layout;

namespace BigPile.Caching;

/// <summary>An entry as it is stored, without its value: what an export writes, and another cache can put alike.</summary>
/// <remarks>Thread safety: immutable.</remarks>
public readonly record struct StoredEntry
{
    internal StoredEntry(in EntryCopy copy, CacheClock clock)
    {
        Key = copy.Key;
        Info = copy.Info;
        Kind = BlockStore.PayloadKindOf((BlockKind)copy.Kind);
        Position = copy.Place;
        Attributes = new EntryAttributes
        {
            ExpiresAt = InstantOf(copy.ExpiresAt, clock),
            Sliding = copy.SlidingTicks == 0 ? null : new TimeSpan(copy.SlidingTicks),
            EndsAt = InstantOf(copy.SlidingEnd, clock),
            FailSafeMaxAge = copy.FailSafeTicks == 0 ? null : new TimeSpan(copy.FailSafeTicks),
            Priority = copy.Priority,
            TagHashes = copy.Tags,
        };
    }

    /// <summary>The key as it is stored: a text key in UTF-8, another one as encoded.</summary>
    public ReadOnlyMemory<byte> Key { get; }

    /// <summary>Version, size and times.</summary>
    public EntryInfo Info { get; }

    /// <summary>What the value is; <see langword="null"/> counts as an object.</summary>
    public PayloadKind Kind { get; }

    /// <summary>Lifetime, priority and tags.</summary>
    public EntryAttributes Attributes { get; }

    /// <summary>Its position in the walk of <see cref="CacheTable.Walk"/>, which several entries may share.</summary>
    public ulong Position { get; }

    private static DateTimeOffset? InstantOf(long ticks, CacheClock clock) =>
        ticks == long.MaxValue ? null : new DateTimeOffset(clock.ToSystem(ticks), TimeSpan.Zero);
}
