using System;
using BigPile.Caching.Entries;

namespace BigPile.Caching;

/// <summary>Lifetime, priority and tags of an entry, exactly as they are, so that it can be put elsewhere alike.</summary>
/// <remarks>
/// No member is required: what is left out is as in <see cref="EntryAttributes()"/>. Instants are those of the system's clock. Thread
/// safety: immutable.
/// </remarks>
public readonly record struct EntryAttributes
{
    /// <summary>An entry that does not expire, with <see cref="EntryPriority.Normal"/> priority and no tags.</summary>
    public EntryAttributes()
    {
    }

    /// <summary>When it expires if it is not used before; <see langword="null"/>: never.</summary>
    public DateTimeOffset? ExpiresAt { get; init; }

    /// <summary>The time that each use gives; <see langword="null"/>: none.</summary>
    public TimeSpan? Sliding { get; init; }

    /// <summary>
    /// The latest instant that uses move <see cref="ExpiresAt"/> to; without <see cref="Sliding"/> the same; <see langword="null"/>: none.
    /// </summary>
    public DateTimeOffset? EndsAt { get; init; }

    /// <summary>
    /// How long it stays behind <see cref="ExpiresAt"/>, for factories that fail; see <see cref="EntryOptions.FailSafeMaxAge"/>;
    /// <see langword="null"/>: not at all.
    /// </summary>
    public TimeSpan? FailSafeMaxAge { get; init; }

    /// <summary>Its worth when entries are evicted.</summary>
    public EntryPriority Priority { get; init; } = EntryPriority.Normal;

    /// <summary>
    /// The hashes of its tags, at most <see cref="EntryOptions.MaxTags"/>: the same in every pile. The tags themselves are not stored.
    /// </summary>
    public ReadOnlyMemory<ulong> TagHashes { get; init; }

    /// <summary>Refuses what no entry can have.</summary>
    internal void Validate(string parameter)
    {
        if (Sliding is { } sliding && sliding <= TimeSpan.Zero)
            throw Refused(nameof(Sliding), sliding, "above zero, or null for an entry that does not slide", parameter);
        if (Sliding != null && ExpiresAt == null)
            throw Refused(nameof(ExpiresAt), null, "the instant at which the entry ends if it is not used, as it has a Sliding", parameter);
        if (FailSafeMaxAge is { } failSafe && failSafe <= TimeSpan.Zero)
            throw Refused(nameof(FailSafeMaxAge), failSafe, "above zero, or null for an entry that goes once it has expired", parameter);
        if (!Enum.IsDefined(Priority))
            throw Refused(nameof(Priority), Priority, "Low, Normal, High or NeverEvict", parameter);
        if (TagHashes.Length > EntryOptions.MaxTags)
            throw Refused(nameof(TagHashes), $"{TagHashes.Length:N0} hashes", $"at most {EntryOptions.MaxTags}: leave some out", parameter);
    }

    internal EntrySpec ToSpec() => new()
    {
        ExpiresAt = ExpiresAt?.UtcTicks ?? long.MaxValue,
        SlidingTicks = Sliding?.Ticks ?? 0,
        SlidingEnd = EndsAt?.UtcTicks ?? long.MaxValue,
        FailSafeTicks = FailSafeMaxAge?.Ticks ?? 0,
        Priority = Priority,
        Tags = TagHashes.Span,
    };

    private static ArgumentException Refused(string member, object? value, string range, string parameter) =>
        new($"EntryAttributes.{member} is {value ?? "null"}; it must be {range}.", parameter);
}
