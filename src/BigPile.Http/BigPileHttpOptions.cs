using System;
using BigPile.Http.Limits;

namespace BigPile.Http;

/// <summary>The limits of the HTTP service of a pile.</summary>
public sealed class BigPileHttpOptions
{
    /// <summary>The default of <see cref="MaxBodyBytes"/>: 32 MiB.</summary>
    public const long DefaultMaxBodyBytes = 32L << 20;

    /// <summary>The highest <see cref="MaxBodyBytes"/>: the maximum payload of a pile, less space for a content type and a key.</summary>
    public const long LargestMaxBodyBytes = (1L << 30) - (64L << 10);

    private const long DefaultBufferedBytes = 256L << 20;

    /// <summary>The maximum size of a payload that a client puts, in bytes; a longer one is answered with 413.</summary>
    public long MaxBodyBytes { get; set; } = DefaultMaxBodyBytes;

    /// <summary>The maximum number of items in a batch; from 1.</summary>
    public int MaxBatchItems { get; set; } = 10_000;

    /// <summary>The maximum total size of a batch's values, in bytes; from 1.</summary>
    public long MaxBatchBytes { get; set; } = DefaultMaxBodyBytes;

    /// <summary>The maximum number of concurrent loads and exports; more are answered with 429. From 1.</summary>
    public int MaxBulkRequests { get; set; } = 32;

    /// <summary>
    /// The most entries that a client may pre-allocate a new table's index for, some 26 bytes each; from 0. An index grows by itself, so
    /// only tables with an index of fixed size need more.
    /// </summary>
    public long MaxInitialEntries { get; set; } = 100_000;

    /// <summary>
    /// The maximum size of all request bodies and answers in flight, in bytes; a request that needs more is answered with 503. At least
    /// eight times <see cref="MaxBodyBytes"/>; by default that or 256 MiB, the larger.
    /// </summary>
    public long? MaxBufferedBytes { get; set; }

    /// <summary>
    /// How long a payload over 32 KB that was removed or replaced stays leased while it is sent; longer than zero. What a slow client has
    /// not received by then is copied, so that the pile can reuse the memory.
    /// </summary>
    public TimeSpan MaxLease { get; set; } = TimeSpan.FromSeconds(10);

    internal RequestLimits ToLimits() => new()
    {
        MaxBodyBytes = MaxBodyBytes,
        MaxBatchItems = MaxBatchItems,
        MaxBatchBytes = MaxBatchBytes,
        MaxBulkRequests = MaxBulkRequests,
        MaxInitialEntries = MaxInitialEntries,
        MaxLease = MaxLease,
    };

    /// <summary>The quota for the buffers of all requests.</summary>
    internal BufferQuota ToQuota() => new(MaxBufferedBytes ?? Math.Max(DefaultBufferedBytes, 8 * MaxBodyBytes));
}
