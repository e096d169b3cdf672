using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a comparison measured. The names and their order are those of the JSON object.</summary>
internal sealed record CompareReport
{
    public required int Count { get; init; }
    public required int ValueBytes { get; init; }
    public required int Threads { get; init; }
    public required IReadOnlyList<CompareSideReport> Sides { get; init; } // the stores, in the order in which they ran
}

/// <summary>What one of the stores showed.</summary>
internal sealed record CompareSideReport
{
    public required string Name { get; init; }
    public required double InsertPerSecond { get; init; }
    public required double RandomGetPerSecond { get; init; }
    public required int Collections { get; init; } // collections of any generation during puts and gets
    public required double TotalPauseMs { get; init; } // the time for which the collector stopped all threads during puts and gets

    /// <summary>The longest of several forced full collections, with everything in place.</summary>
    public required double LongestFullCollectionMs { get; init; }
    public required long ManagedBytes { get; init; } // bytes on the managed heap after them
}
