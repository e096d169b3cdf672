namespace BigPile.Perf.Reports;

/// <summary>What a pause load measured. The names and their order are those of the JSON object.</summary>
internal sealed record PauseReport
{
    /// <summary>heap or pile.</summary>
    public required string Holder { get; init; }

    /// <summary>The number of live objects.</summary>
    public required int Count { get; init; }

    /// <summary>The number of threads.</summary>
    public required int Threads { get; init; }

    /// <summary>Making and keeping all objects.</summary>
    public required double FillSeconds { get; init; }

    /// <summary>Managed memory and the pile's pages in use over live objects, with the array that leads to them.</summary>
    public required double BytesPerObject { get; init; }

    /// <summary>How long objects were replaced and got.</summary>
    public required double Seconds { get; init; }

    /// <summary>Replacements in that time; for each there were three gets.</summary>
    public required double ReplacesPerSecond { get; init; }

    /// <summary>The collections in that time.</summary>
    public required int Collections { get; init; }

    /// <summary>The longest time in it for which a collection held everybody up, in milliseconds.</summary>
    public required double LongestPauseMs { get; init; }

    /// <summary>The longest of several forced full collections after it, in milliseconds.</summary>
    public required double FullCollectionMs { get; init; }
}
