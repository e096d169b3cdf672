namespace BigPile.Perf;

/// <summary>What the soak is asked to do.</summary>
internal sealed record SoakOptions
{
    internal const int MaxMinutes = 100_000;
    internal const int MaxThreads = 64; // the number of a worker has six bits in the id of a value
    internal const int MinMegabytes = 16; // a table's limit is a part of it, and at least one
    internal const int MaxMegabytes = 200_000;

    /// <summary>How long it goes on once the pile is full.</summary>
    internal int Minutes { get; init; } = 30;

    /// <summary>So many operations of all threads instead of a time.</summary>
    internal int? Operations { get; init; }

    /// <summary>Where the pile keeps its segments.</summary>
    internal StoreKind Store { get; init; } = StoreKind.Mapped;

    /// <summary>The user's directory for a mapped pile; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }

    /// <summary>Workers, each with objects and keys of its own.</summary>
    internal int Threads { get; init; } = 2;

    /// <summary>The bytes of live values, in units of a million.</summary>
    internal int Megabytes { get; init; } = 500;

    /// <summary>What the operations follow from.</summary>
    internal int Seed { get; init; } = 1;
}
