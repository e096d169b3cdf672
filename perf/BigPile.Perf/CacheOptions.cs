using BigPile.Caching;

namespace BigPile.Perf;

/// <summary>What the table load is asked to do.</summary>
internal sealed record CacheOptions
{
    internal const int MaxValueBytes = 1 << 20;
    internal const int MaxCount = 1_000_000_000;
    internal const int MinValueBytes = sizeof(long);
    internal const int MaxBatch = 4096;

    internal CollisionMode Mode { get; init; } = CollisionMode.Speculative;

    internal KeyShape Keys { get; init; } = KeyShape.Long;

    internal int ValueBytes { get; init; } = 100;

    internal int Count { get; init; } = 1_000_000;

    internal int Threads { get; init; } = 1;

    internal StoreKind Store { get; init; } = StoreKind.Native;

    internal EntryShape Entries { get; init; } = EntryShape.Plain;

    /// <summary>The share of reads in the mixed phase.</summary>
    internal double ReadRatio { get; init; } = 0.9;

    /// <summary>The skew of the keys in the mixed phase; 0: all alike.</summary>
    internal double Zipf { get; init; } = 0.99;

    internal int Batch { get; init; } = 32;
}
