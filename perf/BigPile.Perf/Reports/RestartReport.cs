using BigPile.Perf.Restarts;

namespace BigPile.Perf.Reports;

/// <summary>What a restart load measured. The names and their order are those of the JSON object.</summary>
internal sealed record RestartReport
{
    /// <summary>The number of objects of 100 bytes.</summary>
    public required long Count { get; init; }

    /// <summary>Bytes of all segments.</summary>
    public required long ReservedBytes { get; init; }

    /// <summary>Filling by one thread, on memory new to the process.</summary>
    public required double FillSeconds { get; init; }

    /// <summary>The first flush, which writes everything.</summary>
    public required double FlushSeconds { get; init; }

    /// <summary>Replacements all over the pile between the first flush and the next.</summary>
    public required int ScatteredReplaces { get; init; }

    /// <summary>The flush after them, in milliseconds.</summary>
    public required double ScatteredFlushMs { get; init; }

    /// <summary>Bytes that the machine's disks wrote during it.</summary>
    public required long? ScatteredFlushBytes { get; init; }

    /// <summary>Closing the pile.</summary>
    public required double CloseSeconds { get; init; }

    /// <summary>Opened after it was closed, the files in the system's cache.</summary>
    public required OpenFigures AfterClose { get; init; }

    /// <summary>Opened after the system's cache was emptied; none where that is not allowed.</summary>
    public required OpenFigures? AfterCloseCold { get; init; }

    /// <summary>Opened after its owner was killed in the middle of changes.</summary>
    public required OpenFigures AfterKill { get; init; }
}
