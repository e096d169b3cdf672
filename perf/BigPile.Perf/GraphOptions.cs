namespace BigPile.Perf;

/// <summary>What the graph load is asked to do.</summary>
internal sealed record GraphOptions
{
    internal const int DefaultThreadsMax = 2;

    /// <summary>The catalog.</summary>
    internal required string File { get; init; }

    internal StoreKind Store { get; init; } = StoreKind.Native;

    /// <summary>Everything is counted by one thread first, and then, if this is more, by so many.</summary>
    internal int ThreadsMax { get; init; } = DefaultThreadsMax;
}
