using System;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore;

/// <summary>Options of a <see cref="PileHybridCache"/>.</summary>
public sealed class PileHybridCacheOptions
{
    /// <summary>The highest <see cref="MaximumKeyLength"/>: a key of this many characters always fits a table's key limit.</summary>
    public const int LargestKeyLength = 1364;

    /// <summary>The highest <see cref="MaximumPayloadBytes"/>: a pile's largest payload, less space for key and tags.</summary>
    public const long LargestPayloadBytes = (1L << 30) - (1L << 20);

    private TableOptions _table = new("hybrid-cache") { CollisionMode = CollisionMode.Durable, GivesWay = true };

    /// <summary>
    /// The table's name and options. It gives way in a full pile unless <see cref="TableOptions.GivesWay"/> says otherwise. With
    /// <see cref="TableOptions.EagerRefresh"/> values are refreshed ahead of their expiry. A hybrid cache has no stale values:
    /// <see cref="TableOptions.DefaultFailSafeMaxAge"/> and the time limits of factories are refused.
    /// </summary>
    public TableOptions Table
    {
        get => _table;
        set => _table = value == null ? null! : BigPileBuilder.WithDefault(value, givesWay: true); // Validate refuses null
    }

    /// <summary>The most bytes of a value; 1 MiB by default. A larger value is returned and not cached.</summary>
    public long MaximumPayloadBytes { get; set; } = 1 << 20;

    /// <summary>The most characters of a key; 1,024 by default. The value of a longer key is returned and not cached.</summary>
    public int MaximumKeyLength { get; set; } = 1024;

    /// <summary>Lifetimes and flags where a call gives none. The lifetime is 5 minutes where these give none either.</summary>
    public HybridCacheEntryOptions? DefaultEntryOptions { get; set; }

    /// <summary>
    /// Provides the second level, which several processes may share and which may fail; none by default. To use the application's:
    /// <c>provider => provider.GetRequiredService&lt;IDistributedCache&gt;()</c>.
    /// </summary>
    public Func<IServiceProvider, IDistributedCache>? SecondLevel { get; set; }

    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(Table);
        if (BigPileOptionsValidator.FailureOf(Table) is { } failure)
            throw new ArgumentException(failure, nameof(Table));
        RefuseStale(Table.DefaultFailSafeMaxAge, nameof(TableOptions.DefaultFailSafeMaxAge));
        RefuseStale(Table.FactorySoftTimeout, nameof(TableOptions.FactorySoftTimeout));
        RefuseStale(Table.FactoryHardTimeout, nameof(TableOptions.FactoryHardTimeout));
        Require(
            MaximumPayloadBytes is >= 1 and <= LargestPayloadBytes, nameof(MaximumPayloadBytes), MaximumPayloadBytes, LargestPayloadBytes);
        Require(MaximumKeyLength is >= 1 and <= LargestKeyLength, nameof(MaximumKeyLength), MaximumKeyLength, LargestKeyLength);
    }

    private static void RefuseStale(TimeSpan? value, string option)
    {
        if (value != null)
        {
            throw new ArgumentException(
                $"PileHybridCacheOptions.Table.{option} is {value}; a hybrid cache has no stale values. Leave it out, or use a table's "
                + "GetOrAddAsync.",
                nameof(Table));
        }
    }

    private static void Require(bool isRight, string option, long value, long largest)
    {
        if (!isRight)
            throw new ArgumentOutOfRangeException(option, value, $"PileHybridCacheOptions.{option} must be from 1 to {largest:N0}.");
    }
}
