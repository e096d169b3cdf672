using System.Collections.Generic;

namespace BigPile.Perf;

/// <summary>What the HTTP load is asked to do.</summary>
internal sealed record HttpOptions
{
    internal const int MaxConnections = 1024;
    internal const int MaxValueBytes = 8 << 20;
    internal const int MinValueBytes = sizeof(long);

    /// <summary>The entries that are asked for.</summary>
    internal const int Entries = 1000;

    /// <summary>The numbers of connections, one after another.</summary>
    internal IReadOnlyList<int> Connections { get; init; } = [1, 4, 16, 64];

    /// <summary>The sizes of the values, one after another.</summary>
    internal IReadOnlyList<int> ValueBytes { get; init; } = [100, 4096, 65_536];

    /// <summary>How long each of them is measured with each number of connections.</summary>
    internal int Seconds { get; init; } = 2;
}
