namespace BigPile.Perf.Reports;

/// <summary>What an insert load measured. The names and their order are those of the JSON object.</summary>
internal sealed record InsertReport
{
    /// <summary>managed, native or mapped.</summary>
    public required string Store { get; init; }

    /// <summary>The payload, as the command line names it.</summary>
    public required string Payload { get; init; }

    /// <summary>The number of objects.</summary>
    public required int Count { get; init; }

    /// <summary>The number of threads.</summary>
    public required int Threads { get; init; }

    /// <summary>The directory of a mapped pile, which is gone when the load ends.</summary>
    public required string? Directory { get; init; }

    /// <summary>Puts in the second round, on memory that the first one touched.</summary>
    public required double PutPerSecond { get; init; }

    /// <summary>Entries a second of one walk, by one thread.</summary>
    public required double EnumeratePerSecond { get; init; }

    /// <summary>Gets in the order of the puts.</summary>
    public required double GetPerSecond { get; init; }

    /// <summary>Gets all over the pile.</summary>
    public required double RandomGetPerSecond { get; init; }

    /// <summary>The same in batches of 64.</summary>
    public required double RandomBatchGetPerSecond { get; init; }

    /// <summary>Deletions in the order of the puts.</summary>
    public required double DeletePerSecond { get; init; }

    /// <summary>Bytes of pages in use, headers and slack included, over live objects, with the pile full.</summary>
    public required double BytesPerObject { get; init; }

    /// <summary>Bytes of all segments, with the pile full.</summary>
    public required long ReservedBytes { get; init; }

    /// <summary>The longest of several forced full collections in milliseconds, with the pile full.</summary>
    public required double FullCollectionMs { get; init; }

    /// <summary>Bytes on the managed heap after them: the array of pointers, and the segments of a managed pile.</summary>
    public required long ManagedBytes { get; init; }

    /// <summary>Mapped: until all is durable.</summary>
    public required double? FlushSeconds { get; init; }

    /// <summary>Mapped: from the call that opens the closed pile to the first object that it gave.</summary>
    public required double? OpenSeconds { get; init; }

    /// <summary>Mapped: getting everything in sequence after that.</summary>
    public required double? ReadBackSeconds { get; init; }

    /// <summary>Puts in the first round, on memory that the process never used.</summary>
    public required double FirstTouchPutPerSecond { get; init; }
}
