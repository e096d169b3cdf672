using System.Collections.Generic;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf;

/// <summary>What the trace load is asked to do.</summary>
internal sealed record TraceOptions
{
    /// <summary>Files, and names of synthetic traces.</summary>
    public required IReadOnlyList<string> Files { get; init; }

    /// <summary>The format of all files; <see langword="null"/> to tell each one's by itself.</summary>
    public TraceFormat? Format { get; init; }

    /// <summary>The most entries; or</summary>
    public int? Capacity { get; init; }

    /// <summary>the shares of the different keys, or of the bytes of all entries.</summary>
    public IReadOnlyList<double> Fractions { get; init; } = [];

    /// <summary>What is simulated beside the table.</summary>
    public required IReadOnlyList<PolicyKind> Policies { get; init; }

    /// <summary>The threads that share the accesses to the table.</summary>
    public int Threads { get; init; } = 1;

    /// <summary>Decides synthetic traces, sizes that are made, and what a policy leaves to chance.</summary>
    public int Seed { get; init; }

    /// <summary>Whether entries have sizes, and the limit is in bytes.</summary>
    public bool HasSizes { get; init; }
}
