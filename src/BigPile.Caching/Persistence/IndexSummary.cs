namespace BigPile.Caching.Persistence;

/// <summary>What is saved of a table beside its index.</summary>
internal readonly record struct IndexSummary
{
    internal int TableId { get; init; }

    internal long Entries { get; init; }

    internal long RoomBytes { get; init; }

    internal long PayloadBytes { get; init; }

    internal bool HasMortals { get; init; }

    internal bool HasPriorities { get; init; }

    internal ulong BucketCount { get; init; }

    internal uint OverflowEnd { get; init; }

    internal uint OverflowFirstFree { get; init; }

    internal uint OverflowUsed { get; init; }
}
