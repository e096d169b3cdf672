namespace BigPile.Perf.Restarts;

/// <summary>The measurements of a reopened pile.</summary>
internal sealed record OpenFigures
{
    /// <summary>Milliseconds from the call that opens the pile until it returned.</summary>
    public required double OpenMs { get; init; }

    /// <summary>Milliseconds from the call that opens the pile to the first get.</summary>
    public required double FirstGetMs { get; init; }

    /// <summary>Milliseconds from the same call to the first put.</summary>
    public required double FirstPutMs { get; init; }

    /// <summary>Seconds from there until every page was recovered, checksums included.</summary>
    public required double RecoverySeconds { get; init; }

    /// <summary>Bytes of pages in use over that time, in 10^9 a second.</summary>
    public required double RecoveryGigabytesPerSecond { get; init; }

    /// <summary>Faults that were found.</summary>
    public required long FaultCount { get; init; }

    /// <summary>Objects that are there.</summary>
    public required long ObjectCount { get; init; }

    /// <summary>Seconds to read all objects in sequence after that; none where they were not all read.</summary>
    public double? ReadBackSeconds { get; init; }
}
