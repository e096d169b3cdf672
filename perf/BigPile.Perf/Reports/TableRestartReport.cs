using BigPile.Perf.Restarts;

namespace BigPile.Perf.Reports;

/// <summary>What a restart load of tables measured. The names and their order are those of the JSON object.</summary>
internal sealed record TableRestartReport
{
    /// <summary>The entries that filled the table.</summary>
    public required long Entries { get; init; }

    /// <summary>The bytes of each value.</summary>
    public required int ValueBytes { get; init; }

    /// <summary>Bytes of all segments.</summary>
    public required long ReservedBytes { get; init; }

    /// <summary>Bytes of the files of the index.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>The user's directory for the index; none when it lies with the pile.</summary>
    public required string? IndexDirectory { get; init; }

    /// <summary>Filling by as many threads as there are processors, from the call that opens the pile on.</summary>
    public required double FillSeconds { get; init; }

    /// <summary>Closing table and pile, which writes everything.</summary>
    public required double CloseSeconds { get; init; }

    /// <summary>How often each way to open was measured but the last one, which was once.</summary>
    public required int Rounds { get; init; }

    /// <summary>Opened after it was closed.</summary>
    public required TableOpenPair AfterClose { get; init; }

    /// <summary>Opened after its owner was killed in the middle of changes.</summary>
    public required TableOpenPair AfterKill { get; init; }

    /// <summary>Opened after the files of its index were removed.</summary>
    public required TableOpenPair WithoutIndex { get; init; }
}
