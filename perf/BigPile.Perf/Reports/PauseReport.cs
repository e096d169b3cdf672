namespace BigPile.Perf.Reports;

/// <summary>What a pause load measured. The names and their order are those of the JSON object.</summary>
internal sealed record PauseReport
{
    public required string Holder { get; init; } // heap or pile
    public required int Count { get; init; } // the number of live objects
    public required int Threads { get; init; } // the number of threads
    public required double FillSeconds { get; init; } // making and keeping all objects

    /// <summary>Managed memory and the pile's pages in use over live objects, with the array that leads to them.</summary>
    public required double BytesPerObject { get; init; }
    public required double Seconds { get; init; } // how long objects were replaced and got
    public required double ReplacesPerSecond { get; init; } // replacements in that time; for each there were three gets
    public required int Collections { get; init; } // the collections in that time
    public required double LongestPauseMs { get; init; } // the longest time in it for which a collection held everybody up, in milliseconds
    public required double FullCollectionMs { get; init; } // the longest of several forced full collections after it, in milliseconds
}
