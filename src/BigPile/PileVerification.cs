using System.Collections.Generic;
using BigPile.Layout;

namespace BigPile;

/// <summary>What a verification has checked and found.</summary>
public sealed record PileVerification
{
    /// <summary>Segments that were checked.</summary>
    public required int SegmentCount { get; init; }

    /// <summary>Pages in use that were checked.</summary>
    public required long PageCount { get; init; }

    /// <summary>Bytes of these pages.</summary>
    public long PageBytes => PageCount * SizeClasses.PageBytes;

    /// <summary>Live blocks that were checked: objects, and payloads behind links.</summary>
    public required long BlockCount { get; init; }

    /// <summary>Bytes of payload that were checked.</summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Whether the blocks have checksums; if not, only headers and page words can be checked.</summary>
    public required bool HasChecksums { get; init; }

    /// <summary>
    /// Blocks that still have the weaker checksum of formats 1 to 6; they get the current one when they are replaced or compacted.
    /// </summary>
    public required long LegacyChecksumCount { get; init; }

    /// <summary>
    /// Whether the last owner closed the pile, see <see cref="PileRecovery.WasClean"/>. If not, traces of a kill are no faults: the next
    /// opening removes them.
    /// </summary>
    public required bool WasClean { get; init; }

    /// <summary>Traces of a kill: replacements that had not ended, orphans.</summary>
    public required long TraceCount { get; init; }

    /// <summary>Everything that is damaged.</summary>
    public required long FaultCount { get; init; }

    /// <summary>The first thousand faults.</summary>
    public required IReadOnlyList<PileFault> Faults { get; init; }

    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => FaultCount == 0;
}
