namespace BigPile.Perf.Reports;

/// <summary>What an insert load measured. The names and their order are those of the JSON object.</summary>
internal sealed record InsertReport
{
    public required string Store { get; init; } // managed, native or mapped
    public required string Payload { get; init; } // the payload, as the command line names it
    public required int Count { get; init; } // the number of objects
    public required int Threads { get; init; } // the number of threads
    public required string? Directory { get; init; } // the directory of a mapped pile, which is gone when the load ends
    public required double PutPerSecond { get; init; } // puts in the second round, on memory that the first one touched
    public required double EnumeratePerSecond { get; init; } // entries a second of one walk, by one thread
    public required double GetPerSecond { get; init; } // gets in the order of the puts
    public required double RandomGetPerSecond { get; init; } // gets all over the pile
    public required double RandomBatchGetPerSecond { get; init; } // the same in batches of 64
    public required double DeletePerSecond { get; init; } // deletions in the order of the puts

    /// <summary>Bytes of pages in use, headers and slack included, over live objects, with the pile full.</summary>
    public required double BytesPerObject { get; init; }
    public required long ReservedBytes { get; init; } // bytes of all segments, with the pile full

    /// <summary>The longest of several forced full collections in milliseconds, with the pile full.</summary>
    public required double FullCollectionMs { get; init; }

    /// <summary>Bytes on the managed heap after them: the array of pointers, and the segments of a managed pile.</summary>
    public required long ManagedBytes { get; init; }
    public required double? FlushSeconds { get; init; } // mapped: until all is durable
    public required double? OpenSeconds { get; init; } // mapped: from the call that opens the closed pile to the first object that it gave
    public required double? ReadBackSeconds { get; init; } // mapped: getting everything in sequence after that
    public required double FirstTouchPutPerSecond { get; init; } // puts in the first round, on memory that the process never used
}
