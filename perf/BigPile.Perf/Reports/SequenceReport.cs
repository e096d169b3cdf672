using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a sequence load measured.</summary>
/// <param name="Options">What it was asked to do.</param>
/// <param name="Rows">The figures of each kind of file; the JSON array.</param>
internal sealed record SequenceReport(SequenceOptions Options, IReadOnlyList<SequenceRow> Rows);

/// <summary>What was measured in one kind of file. The names and their order are those of the JSON object.</summary>
internal sealed record SequenceRow
{
    /// <summary>file or hash.</summary>
    public required string Layer { get; init; }

    /// <summary>std, mmap-para, mmap-atom, pos-para or pos-atom.</summary>
    public required string File { get; init; }

    public required int Threads { get; init; }

    /// <summary>Records written to a new file, by all threads together.</summary>
    public required double SetPerSecond { get; init; }

    /// <summary>Records read and compared.</summary>
    public required double GetPerSecond { get; init; }

    /// <summary>Records removed; <see langword="null"/> of files, which have nothing to remove.</summary>
    public required double? RemovePerSecond { get; init; }

    /// <summary>The bytes of the file that the first phase has closed.</summary>
    public required long FileBytes { get; init; }

    /// <summary>
    /// What the process's resident memory grew by, at most, as seen at the end of each phase; what it touched of a mapped file is in it.
    /// </summary>
    public required long MemoryBytes { get; init; }
}
