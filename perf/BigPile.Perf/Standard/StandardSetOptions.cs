using System.Collections.Generic;

namespace BigPile.Perf.Standard;

/// <summary>What a run of the standard set is asked to do.</summary>
internal sealed record StandardSetOptions
{
    internal const int MaxRepeats = 100;

    /// <summary>Smaller sizes and shorter times: minutes and not half an hour.</summary>
    internal bool Quick { get; init; }

    /// <summary>How often each figure is measured, each time in a process of its own, all others in between.</summary>
    internal int Repeats { get; init; } = 3;

    /// <summary>The parts to run; all when it is empty.</summary>
    internal IReadOnlyList<string> Parts { get; init; } = [];

    /// <summary>Recorded traces to replay beside the ones that the console makes.</summary>
    internal IReadOnlyList<string> Traces { get; init; } = [];

    /// <summary>A directory for the files of mapped piles, which are removed at the end; <see langword="null"/>: a temporary one.</summary>
    internal string? Directory { get; init; }
}
