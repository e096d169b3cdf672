namespace BigPile.Perf.Runs;

/// <summary>Where a run was made.</summary>
internal sealed record RunMachine
{
    /// <summary>The processor's name.</summary>
    public required string Processor { get; init; }

    /// <summary>The processors that the process may use.</summary>
    public required int Cores { get; init; }

    /// <summary>The memory that the process may use, in bytes.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>The operating system.</summary>
    public required string System { get; init; }

    /// <summary>The runtime's version.</summary>
    public required string Runtime { get; init; }

    /// <summary>How its collector works.</summary>
    public required string Collector { get; init; }
}
