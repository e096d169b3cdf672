using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a comparison measured. The names and their order are those of the JSON object.</summary>
internal sealed record CompareReport
{
    public required int Count { get; init; }

    public required int ValueBytes { get; init; }

    public required int Threads { get; init; }

    /// <summary>The stores, in the order in which they ran.</summary>
    public required IReadOnlyList<CompareSideReport> Sides { get; init; }
}

/// <summary>What one of the stores showed.</summary>
internal sealed record CompareSideReport
{
    public required string Name { get; init; }

    public required double InsertPerSecond { get; init; }

    public required double RandomGetPerSecond { get; init; }

    /// <summary>Collections of any generation during puts and gets.</summary>
    public required int Collections { get; init; }

    /// <summary>The time for which the collector stopped all threads during puts and gets.</summary>
    public required double TotalPauseMs { get; init; }

    /// <summary>The longest of several forced full collections, with everything in place.</summary>
    public required double LongestFullCollectionMs { get; init; }

    /// <summary>Bytes on the managed heap after them.</summary>
    public required long ManagedBytes { get; init; }
}
