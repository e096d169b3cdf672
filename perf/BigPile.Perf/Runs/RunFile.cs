using System;
using System.Collections.Generic;

namespace BigPile.Perf.Runs;

/// <summary>What one run of the standard set of loads measured: all that its page shows, and that another run is compared with.</summary>
/// <remarks>The names and their order are those of the JSON object.</remarks>
internal sealed record RunFile
{
    /// <summary>The version of this form that the console writes.</summary>
    internal const int CurrentFormat = 1;

    /// <summary><see cref="CurrentFormat"/> of who wrote the file.</summary>
    public required int Format { get; init; }

    /// <summary>The commit that the console was built from; "unknown" outside of a repository.</summary>
    public required string Commit { get; init; }

    /// <summary>When the run began, in UTC.</summary>
    public required DateTimeOffset StartedAt { get; init; }

    /// <summary>How long it took.</summary>
    public required double Minutes { get; init; }

    /// <summary>Where it ran.</summary>
    public required RunMachine Machine { get; init; }

    /// <summary>What was asked for, by the names of the command line: quick, repeats, and so on.</summary>
    public required IReadOnlyDictionary<string, string> Options { get; init; }

    /// <summary>The figures, in the order of the page.</summary>
    public required IReadOnlyList<RunChart> Charts { get; init; }
}
