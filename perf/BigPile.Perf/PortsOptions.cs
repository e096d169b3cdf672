using System.Collections.Generic;
using BigPile.Perf.Messages;

namespace BigPile.Perf;

/// <summary>What the ports load is asked to do.</summary>
internal sealed record PortsOptions
{
    internal const int MaxBytes = 1 << 20;
    internal const int MaxReceivers = 32;
    internal const int MaxCount = 1_000_000_000;

    internal PortsMode Mode { get; init; } = PortsMode.RoundTrip;

    /// <summary>The bytes of a message, one size after the other.</summary>
    internal IReadOnlyList<int> SizesBytes { get; init; } = [64];

    /// <summary>How many processes receive, one number after the other.</summary>
    internal IReadOnlyList<int> Receivers { get; init; } = [1];

    /// <summary>The messages that are measured of each way, in each size, with each number of receivers.</summary>
    internal int Count { get; init; } = 20_000;

    internal IReadOnlyList<MessageWay> Ways { get; init; } = MessageWays.All;

    /// <summary>Whether the sender's thread and those of the receivers each stay on a core, the sender's on one of its own.</summary>
    internal bool IsPinned { get; init; }
}
