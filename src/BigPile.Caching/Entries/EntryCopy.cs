namespace BigPile.Caching.Entries;

/// <summary>A copy of an entry's key and head, without its value.</summary>
internal readonly record struct EntryCopy(
    byte[] Key, EntryInfo Info, ValueKind Kind, EntryPriority Priority, long ExpiresAt, long SlidingTicks, long SlidingEnd,
    long FailSafeTicks, ulong[] Tags)
{
    /// <summary>Its position in a walk through the table; see <c>WalkPlace</c>.</summary>
    internal ulong Place { get; init; }

    /// <summary>What to put the entry with again.</summary>
    internal EntrySpec Spec =>
        new()
        {
            ExpiresAt = ExpiresAt,
            SlidingTicks = SlidingTicks,
            SlidingEnd = SlidingEnd,
            FailSafeTicks = FailSafeTicks,
            Priority = Priority,
            Tags = Tags,
        };
}
