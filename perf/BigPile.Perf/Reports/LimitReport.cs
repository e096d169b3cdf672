namespace BigPile.Perf.Reports;

/// <summary>What a limit load measured. The names and their order are those of the JSON object.</summary>
internal sealed record LimitReport
{
    /// <summary>The table's limit.</summary>
    public required long LimitBytes { get; init; }

    /// <summary>The bytes of all keys and values that were put.</summary>
    public required long PutBytes { get; init; }

    /// <summary>The bytes of each value.</summary>
    public required int ValueBytes { get; init; }

    /// <summary>The entries at the end.</summary>
    public required long EntryCount { get; init; }

    /// <summary>The entries that made room for others.</summary>
    public required long Evictions { get; init; }

    /// <summary>The highest figure that the table gave of its own bytes.</summary>
    public required long MostTableBytes { get; init; }

    /// <summary>The process's resident memory before the table was there.</summary>
    public required long BaselineProcessBytes { get; init; }

    /// <summary>The process's highest resident memory.</summary>
    public required long MostProcessBytes { get; init; }

    /// <summary>What the process took beyond its baseline, in percent of the limit.</summary>
    public required double ProcessPercentOfLimit { get; init; }

    public required double PutPerSecond { get; init; }

    /// <summary>Gets of all keys at random, those that find nothing included.</summary>
    public required double GetPerSecond { get; init; }

    /// <summary>Gets that found their key.</summary>
    public required long Found { get; init; }

    /// <summary>Gets that did not.</summary>
    public required long Missed { get; init; }

    /// <summary>Entries that had left memory and were in a file at the end.</summary>
    public required long SpilledEntries { get; init; }

    /// <summary>The bytes of that file.</summary>
    public required long SpilledBytes { get; init; }
}
