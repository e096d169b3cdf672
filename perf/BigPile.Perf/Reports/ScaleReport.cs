namespace BigPile.Perf.Reports;

/// <summary>What a scale load measured. The names and their order are those of the JSON object.</summary>
internal sealed record ScaleReport
{
    public required string Store { get; init; } // managed, native or mapped
    public required int Count { get; init; } // the number of objects of 100 bytes
    public required int Threads { get; init; } // the number of threads
    public required long CommittedBytes { get; init; } // bytes of pages in use, headers and slack included
    public required double GetPerSecond { get; init; } // gets all over the pile: the fastest of five runs

    /// <summary>Objects put in place of others that are deleted, all over the pile: the fastest of five runs.</summary>
    public required double PutPerSecond { get; init; }
    public required LatencyReport GetUs { get; init; } // the times of single gets
    public required LatencyReport PutUs { get; init; } // the times of single puts, without the deletions
    public required double ClockUs { get; init; } // what reading the clock takes; it is in each of the times
}
