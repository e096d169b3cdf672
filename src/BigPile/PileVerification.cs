using System.Collections.Generic;
using BigPile.Layout;

namespace BigPile;

/// <summary>What a verification looked at and found.</summary>
public sealed record PileVerification
{
    /// <summary>Segments that were looked at.</summary>
    public required int SegmentCount { get; init; }

    /// <summary>Pages in use that were looked at.</summary>
    public required long PageCount { get; init; }

    /// <summary>Bytes of these pages.</summary>
    public long PageBytes => PageCount * SizeClasses.PageBytes;

    /// <summary>Live blocks that were looked at: objects, and payloads behind links.</summary>
    public required long BlockCount { get; init; }

    /// <summary>Bytes of payload that were looked at.</summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Whether the blocks carry checksums; without, only what describes them can be checked.</summary>
    public required bool HasChecksums { get; init; }

    /// <summary>
    /// Blocks that carry the weaker checksum of formats 1 to 6 still; they get the present one when they are replaced or compacted.
    /// </summary>
    public required long LegacyChecksumCount { get; init; }

    /// <summary>
    /// Whether the last owner closed the pile, see <see cref="PileRecovery.WasClean"/>. Otherwise traces of a kill are no faults: the next
    /// opening removes them.
    /// </summary>
    public required bool WasClean { get; init; }

    /// <summary>Traces of a kill: replacements that had not ended, payloads without an object.</summary>
    public required long TraceCount { get; init; }

    /// <summary>Everything that is not what was written.</summary>
    public required long FaultCount { get; init; }

    /// <summary>The first thousand faults.</summary>
    public required IReadOnlyList<PileFault> Faults { get; init; }

    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => FaultCount == 0;
}
