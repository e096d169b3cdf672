namespace BigPile.Perf.Reports;

/// <summary>What a limit load measured. The names and their order are those of the JSON object.</summary>
internal sealed record LimitReport
{
    public required long LimitBytes { get; init; } // the table's limit
    public required long PutBytes { get; init; } // the bytes of all keys and values that were put
    public required int ValueBytes { get; init; } // the bytes of each value
    public required long EntryCount { get; init; } // the entries at the end
    public required long Evictions { get; init; } // the entries that made room for others
    public required long MostTableBytes { get; init; } // the highest figure that the table gave of its own bytes
    public required long BaselineProcessBytes { get; init; } // the process's resident memory before the table was there
    public required long MostProcessBytes { get; init; } // the process's highest resident memory
    public required double ProcessPercentOfLimit { get; init; } // what the process took beyond its baseline, in percent of the limit
    public required double PutPerSecond { get; init; }
    public required double GetPerSecond { get; init; } // gets of all keys at random, those that find nothing included
    public required long Found { get; init; } // gets that found their key
    public required long Missed { get; init; } // gets that did not
    public required long SpilledEntries { get; init; } // entries that had left memory and were in a file at the end
    public required long SpilledBytes { get; init; } // the bytes of that file
}
