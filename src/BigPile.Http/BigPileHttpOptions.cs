using System;
using BigPile.Http.Limits;

namespace BigPile.Http;

/// <summary>How much the HTTP service of a pile takes, gives, and keeps in flight.</summary>
public sealed class BigPileHttpOptions
{
    /// <summary>The default of <see cref="MaxBodyBytes"/>: 32 MiB.</summary>
    public const long DefaultMaxBodyBytes = 32L << 20;

    /// <summary>The highest <see cref="MaxBodyBytes"/>: what a pile takes as one payload, with room for a content type and a key.</summary>
    public const long LargestMaxBodyBytes = (1L << 30) - (64L << 10);

    private const long DefaultBufferedBytes = 256L << 20;

    /// <summary>The most bytes of a payload that a client may put; a longer one is answered with 413.</summary>
    public long MaxBodyBytes { get; set; } = DefaultMaxBodyBytes;

    /// <summary>The most items of a batch; from 1.</summary>
    public int MaxBatchItems { get; set; } = 10_000;

    /// <summary>The most bytes that the values of a batch have together; from 1.</summary>
    public long MaxBatchBytes { get; set; } = DefaultMaxBodyBytes;

    /// <summary>The most loads and exports at once; more are answered with 429. From 1.</summary>
    public int MaxBulkRequests { get; set; } = 32;

    /// <summary>
    /// The most entries that a client may have a new table's index make room for at once, some 26 bytes each; from 0. The index grows by
    /// itself, so that only tables with an index of a fixed size need more.
    /// </summary>
    public long MaxInitialEntries { get; set; } = 100_000;

    /// <summary>
    /// The most bytes that bodies and answers in flight take together, those of all requests; a request that would need more is answered
    /// with 503. At least eight times <see cref="MaxBodyBytes"/>, and that or 256 MiB when it is not set.
    /// </summary>
    public long? MaxBufferedBytes { get; set; }

    /// <summary>
    /// How long a payload over 32 KB that others have removed or replaced stays leased while it is sent: longer than zero. What a slow
    /// client has not taken by then is copied, so that the pile has its memory again.
    /// </summary>
    public TimeSpan MaxLease { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The limits that requests are held to.</summary>
    internal RequestLimits ToLimits() => new()
    {
        MaxBodyBytes = MaxBodyBytes,
        MaxBatchItems = MaxBatchItems,
        MaxBatchBytes = MaxBatchBytes,
        MaxBulkRequests = MaxBulkRequests,
        MaxInitialEntries = MaxInitialEntries,
        MaxLease = MaxLease,
    };

    /// <summary>What all requests may have together.</summary>
    internal BufferQuota ToQuota() => new(MaxBufferedBytes ?? Math.Max(DefaultBufferedBytes, 8 * MaxBodyBytes));
}
