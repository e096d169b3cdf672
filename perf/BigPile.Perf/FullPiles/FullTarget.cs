using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.Perf.FullPiles;

/// <summary>A table or a cache over one, in a pile with a limit.</summary>
/// <remarks>Thread safety: all threads of the load use it.</remarks>
internal abstract class FullTarget
{
    private const string TableName = "full";

    internal abstract void Put(string key, byte[] value);

    /// <summary>Gets a value; makes and puts it where it is missing.</summary>
    internal virtual byte[] GetOrPut(string key, Func<byte[]> make)
    {
        if (Get(key) is { } value)
            return value;
        value = make();
        Put(key, value);
        return value;
    }

    protected abstract byte[]? Get(string key);

    /// <summary>Whether puts may be refused.</summary>
    internal static bool MayRefuse(FullKind kind) => kind is FullKind.DurableRefused or FullKind.DistributedRefused;

    /// <summary>What the table holds and has done.</summary>
    internal static TableStatistics StatisticsOf(PileCache cache) => cache.GetStatistics(TableName);

    /// <summary>Makes a kind in a pile.</summary>
    /// <param name="kind">The kind.</param>
    /// <param name="cache">The tables of the pile.</param>
    /// <param name="tableBytes">The limit of the table; <see langword="null"/>: only the pile has one.</param>
    /// <param name="warnings">Receives what the kind logs.</param>
    internal static FullTarget Of(FullKind kind, PileCache cache, long? tableBytes, WarningCounter warnings)
    {
        var options = new TableOptions(TableName)
        {
            CollisionMode = kind == FullKind.Speculative ? CollisionMode.Speculative : CollisionMode.Durable,
            GivesWay = kind == FullKind.Speculative ? null : !MayRefuse(kind),
            MaxBytes = tableBytes,
        };
        if (kind == FullKind.Hybrid)
        {
            var hybrid = new PileHybridCacheOptions { Table = options with { GivesWay = null } };
            return new HybridTarget(new PileHybridCache(cache, hybrid, logger: warnings.For<PileHybridCache>()));
        }
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>(options);
        return kind switch
        {
            FullKind.Output => new OutputTarget(new PileOutputCacheStore(table, warnings.For<PileOutputCacheStore>())),
            FullKind.Distributed or FullKind.DistributedRefused => new DistributedTarget(new PileDistributedCache(table)),
            _ => new TableTarget(table),
        };
    }

    private sealed class TableTarget(CacheTable<string, byte[]> table) : FullTarget
    {
        internal override void Put(string key, byte[] value) => table.PutBytes(key, value, out _);

        protected override byte[]? Get(string key) => table.TryGet(key, out byte[]? value) ? value : null;
    }

    private sealed class HybridTarget(PileHybridCache cache) : FullTarget
    {
        internal override void Put(string key, byte[] value) => cache.SetAsync(key, value).AsTask().GetAwaiter().GetResult();

        internal override byte[] GetOrPut(string key, Func<byte[]> make) =>
            cache.GetOrCreateAsync(key, make, static (make, _) => ValueTask.FromResult(make())).AsTask().GetAwaiter().GetResult();

        protected override byte[]? Get(string key) => throw new NotSupportedException();
    }

    private sealed class OutputTarget(PileOutputCacheStore cache) : FullTarget
    {
        private static readonly TimeSpan Valid = TimeSpan.FromDays(1);

        internal override void Put(string key, byte[] value) =>
            cache.SetAsync(key, value, tags: null, Valid, CancellationToken.None).AsTask().GetAwaiter().GetResult();

        protected override byte[]? Get(string key) => cache.GetAsync(key, CancellationToken.None).AsTask().GetAwaiter().GetResult();
    }

    private sealed class DistributedTarget(PileDistributedCache cache) : FullTarget
    {
        private static readonly DistributedCacheEntryOptions Options = new();

        internal override void Put(string key, byte[] value) => cache.Set(key, value, Options);

        protected override byte[]? Get(string key) => cache.Get(key);
    }
}
