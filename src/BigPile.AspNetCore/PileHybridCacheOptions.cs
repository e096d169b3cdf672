using System;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore;

/// <summary>How a <see cref="PileHybridCache"/> is made.</summary>
public sealed class PileHybridCacheOptions
{
    /// <summary>The highest <see cref="MaximumKeyLength"/>: no key of so many characters is longer than a table's keys may be.</summary>
    public const int LargestKeyLength = 1364;

    /// <summary>The highest <see cref="MaximumPayloadBytes"/>: what a pile takes as one payload, with room for its key and tags.</summary>
    public const long LargestPayloadBytes = (1L << 30) - (1L << 20);

    /// <summary>The table's name, and how it behaves.</summary>
    public TableOptions Table { get; set; } = new("hybrid-cache") { CollisionMode = CollisionMode.Durable };

    /// <summary>The most bytes of a value; a larger one is given to who asked, and not cached. 1 MiB by default.</summary>
    public long MaximumPayloadBytes { get; set; } = 1 << 20;

    /// <summary>The most characters of a key; what has a longer one is given to who asked, and not cached. 1,024 by default.</summary>
    public int MaximumKeyLength { get; set; } = 1024;

    /// <summary>What counts where a call says nothing: lifetimes (5 minutes where these say nothing either) and flags.</summary>
    public HybridCacheEntryOptions? DefaultEntryOptions { get; set; }

    /// <summary>
    /// Gives the cache behind this one, which several processes may share and which may fail; none by default. To take the application's:
    /// <c>provider => provider.GetRequiredService&lt;IDistributedCache&gt;()</c>.
    /// </summary>
    public Func<IServiceProvider, IDistributedCache>? SecondLevel { get; set; }

    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(Table);
        if (BigPileOptionsValidator.FailureOf(Table) is { } failure)
            throw new ArgumentException(failure, nameof(Table));
        Require(
            MaximumPayloadBytes is >= 1 and <= LargestPayloadBytes, nameof(MaximumPayloadBytes), MaximumPayloadBytes, LargestPayloadBytes);
        Require(MaximumKeyLength is >= 1 and <= LargestKeyLength, nameof(MaximumKeyLength), MaximumKeyLength, LargestKeyLength);
    }

    private static void Require(bool isRight, string option, long value, long largest)
    {
        if (!isRight)
            throw new ArgumentOutOfRangeException(option, value, $"PileHybridCacheOptions.{option} must be from 1 to {largest:N0}.");
    }
}
