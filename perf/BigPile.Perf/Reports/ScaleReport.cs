namespace BigPile.Perf.Reports;

/// <summary>What a scale load measured. The names and their order are those of the JSON object.</summary>
internal sealed record ScaleReport
{
    /// <summary>managed, native or mapped.</summary>
    public required string Store { get; init; }

    /// <summary>The number of objects of 100 bytes.</summary>
    public required int Count { get; init; }

    /// <summary>The number of threads.</summary>
    public required int Threads { get; init; }

    /// <summary>Bytes of pages in use, headers and slack included.</summary>
    public required long CommittedBytes { get; init; }

    /// <summary>Gets all over the pile: the fastest of five runs.</summary>
    public required double GetPerSecond { get; init; }

    /// <summary>Objects put in place of others that are deleted, all over the pile: the fastest of five runs.</summary>
    public required double PutPerSecond { get; init; }

    /// <summary>The times of single gets.</summary>
    public required LatencyReport GetUs { get; init; }

    /// <summary>The times of single puts, without the deletions.</summary>
    public required LatencyReport PutUs { get; init; }

    /// <summary>What reading the clock takes; it is in each of the times.</summary>
    public required double ClockUs { get; init; }
}
