using System;

namespace BigPile.Http.Limits;

/// <summary>The limits that requests are held to.</summary>
internal sealed record RequestLimits
{
    /// <summary>The most bytes of a payload that a client may put.</summary>
    internal required long MaxBodyBytes { get; init; }

    /// <summary>The most items of a batch.</summary>
    internal required int MaxBatchItems { get; init; }

    /// <summary>The most bytes that the values of a batch have together.</summary>
    internal required long MaxBatchBytes { get; init; }

    /// <summary>The most loads and exports at once.</summary>
    internal required int MaxBulkRequests { get; init; }

    /// <summary>The most entries that a client may have a table's index make room for at once.</summary>
    internal required long MaxInitialEntries { get; init; }

    /// <summary>How long a payload stays leased while it is sent.</summary>
    internal required TimeSpan MaxLease { get; init; }
}
