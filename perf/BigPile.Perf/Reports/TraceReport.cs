namespace BigPile.Perf.Reports;

/// <summary>What a trace load measured. The names and their order are those of the JSON object.</summary>
internal sealed record TraceReport
{
    public required string File { get; init; }

    /// <summary>The recorded accesses.</summary>
    public required long Accesses { get; init; }

    /// <summary>The different keys among them.</summary>
    public required long DistinctKeys { get; init; }

    /// <summary>The table's limit in entries.</summary>
    public required long Capacity { get; init; }

    /// <summary>The share of accesses that found their key.</summary>
    public required double HitRatioPercent { get; init; }

    /// <summary>Accesses a second, each with a put when it missed.</summary>
    public required double OperationsPerSecond { get; init; }
}
