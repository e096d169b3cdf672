namespace BigPile.Perf.Sequences;

/// <summary>A phase of a sequence; each opens the file anew.</summary>
internal enum SequencePhase
{
    /// <summary>Writes to a new file.</summary>
    Set,

    /// <summary>Reads what the first phase wrote, and compares it. The file is opened for reading only.</summary>
    Get,

    /// <summary>Removes it.</summary>
    Remove,
}
