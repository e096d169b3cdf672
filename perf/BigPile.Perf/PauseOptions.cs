namespace BigPile.Perf;

/// <summary>What the pause load is asked to do.</summary>
internal sealed record PauseOptions
{
    internal const int MaxSeconds = 3600;

    /// <summary>What holds the objects.</summary>
    internal PauseHolder Holder { get; init; } = PauseHolder.Pile;

    /// <summary>The number of live objects.</summary>
    internal int Count { get; init; } = 1_000_000;

    /// <summary>How long objects are replaced and got.</summary>
    internal int Seconds { get; init; } = 8;

    /// <summary>How many threads do so.</summary>
    internal int Threads { get; init; } = System.Environment.ProcessorCount;
}
