namespace BigPile.Perf.Reports;

/// <summary>What was measured in one kind of file. The names and their order are those of the JSON object.</summary>
internal sealed record SequenceRow
{
    public required string Layer { get; init; } // file or hash
    public required string File { get; init; } // std, mmap-para, mmap-atom, pos-para or pos-atom
    public required int Threads { get; init; }
    public required double SetPerSecond { get; init; } // records written to a new file, by all threads together
    public required double GetPerSecond { get; init; } // records read and compared
    public required double? RemovePerSecond { get; init; } // records removed; null of files, which have nothing to remove
    public required long FileBytes { get; init; } // the bytes of the file that the first phase has closed

    /// <summary>
    /// What the process's resident memory grew by, at most, as seen at the end of each phase; what it touched of a mapped file is in it.
    /// </summary>
    public required long MemoryBytes { get; init; }
}
