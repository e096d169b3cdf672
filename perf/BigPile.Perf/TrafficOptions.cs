namespace BigPile.Perf;

/// <summary>What the traffic load is asked to do.</summary>
internal sealed record TrafficOptions
{
    internal const int MaxRequests = 1_000_000_000;
    internal const int MinRequests = 1_000;
    internal const int MaxClients = 64;
    internal const int MaxDepth = 64;
    internal const int MinKeys = 1_024; // far more than one batch touches
    internal const int MaxKeys = 10_000_000;

    /// <summary>The requests of all clients together.</summary>
    internal int Requests { get; init; } = 1_000_000;

    /// <summary>What the operations follow from.</summary>
    internal int Seed { get; init; } = 1;

    /// <summary>Connections, each with keys of its own.</summary>
    internal int Clients { get; init; } = 4;

    /// <summary>Requests that a client sends before it reads the answers.</summary>
    internal int Depth { get; init; } = 16;

    /// <summary>The keys of each client.</summary>
    internal int Keys { get; init; } = 50_000;

    /// <summary>The user's directory; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }
}
