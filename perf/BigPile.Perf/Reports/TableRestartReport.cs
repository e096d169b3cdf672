using BigPile.Perf.Restarts;

namespace BigPile.Perf.Reports;

/// <summary>What a restart load of tables measured. The names and their order are those of the JSON object.</summary>
internal sealed record TableRestartReport
{
    public required long Entries { get; init; } // the entries that filled the table
    public required int ValueBytes { get; init; } // the bytes of each value
    public required long ReservedBytes { get; init; } // bytes of all segments
    public required long IndexBytes { get; init; } // bytes of the files of the index
    public required string? IndexDirectory { get; init; } // the user's directory for the index; none when it lies with the pile

    /// <summary>Filling by as many threads as there are processors, from the call that opens the pile on.</summary>
    public required double FillSeconds { get; init; }
    public required double CloseSeconds { get; init; } // closing table and pile, which writes everything
    public required int Rounds { get; init; } // how often each way to open was measured but the last one, which was once
    public required TableOpenPair AfterClose { get; init; } // opened after it was closed
    public required TableOpenPair AfterKill { get; init; } // opened after its owner was killed in the middle of changes
    public required TableOpenPair WithoutIndex { get; init; } // opened after the files of its index were removed
}
