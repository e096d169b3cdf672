using System;

namespace BigPile.Http.Limits;

/// <summary>The limits on requests.</summary>
internal sealed record RequestLimits
{
    /// <summary>The maximum size of a payload, in bytes.</summary>
    internal required long MaxBodyBytes { get; init; }

    internal required int MaxBatchItems { get; init; }

    /// <summary>The maximum total size of a batch's values, in bytes.</summary>
    internal required long MaxBatchBytes { get; init; }

    /// <summary>The maximum number of concurrent loads and exports.</summary>
    internal required int MaxBulkRequests { get; init; }

    /// <summary>The most entries that a client may pre-allocate a table's index for.</summary>
    internal required long MaxInitialEntries { get; init; }

    /// <summary>How long a payload may stay leased once it is no longer the entry's.</summary>
    internal required TimeSpan MaxLease { get; init; }
}
