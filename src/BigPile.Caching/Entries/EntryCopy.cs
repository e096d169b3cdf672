namespace BigPile.Caching.Entries;

/// <summary>What is known of an entry beside its value, copied.</summary>
internal readonly record struct EntryCopy(
    byte[] Key, EntryInfo Info, ValueKind Kind, EntryPriority Priority, long ExpiresAt, long SlidingTicks, long SlidingEnd, ulong[] Tags)
{
    /// <summary>Where a walk through the table comes by it.</summary>
    internal ulong Place { get; init; }

    /// <summary>How the entry would be put again.</summary>
    internal EntrySpec Spec =>
        new() { ExpiresAt = ExpiresAt, SlidingTicks = SlidingTicks, SlidingEnd = SlidingEnd, Priority = Priority, Tags = Tags };
}
