using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests.Support;

/// <summary>A hybrid cache with a manual clock. No test may leave a rented buffer behind.</summary>
public abstract class HybridCacheTest : IDisposable
{
    private readonly System.Collections.Generic.List<(PileCache Pile, PileHybridCache Cache)> _made = [];

    protected HybridCacheTest() => Cache = Make();

    private protected ManualTime Time { get; } = new();

    /// <summary>A cache of one level.</summary>
    protected PileHybridCache Cache { get; }

    /// <summary>The calls of factories.</summary>
    private protected int Made;

    private protected PileHybridCache Make(IDistributedCache? second = null, PileHybridCacheOptions? options = null)
    {
        PileCache pile = TestCache.Make(Time);
        var cache = new PileHybridCache(pile, options, second, Time);
        _made.Add((pile, cache));
        return cache;
    }

    private protected CacheTable<string, object> TableOf(PileHybridCache cache, string name = "hybrid-cache") =>
        _made.Find(made => made.Cache == cache).Pile.GetOrCreateTable<string, object>(name);

    /// <summary>Gets a value that a factory gives, and counts it.</summary>
    private protected ValueTask<T> GetAsync<T>(
        HybridCache cache, string key, T value, HybridCacheEntryOptions? options = null, string[]? tags = null) =>
        cache.GetOrCreateAsync(
            key,
            _ =>
            {
                Interlocked.Increment(ref Made);
                return new ValueTask<T>(value);
            },
            options, tags);

    /// <summary>Gets what is cached; the default value when nothing is.</summary>
    private protected static ValueTask<T> PeekAsync<T>(HybridCache cache, string key) =>
        cache.GetOrCreateAsync<T>(
            key, static _ => throw new InvalidOperationException("The factory must not run."),
            new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableUnderlyingData });

    public void Dispose()
    {
        foreach ((PileCache pile, PileHybridCache cache) in _made)
        {
            Assert.Equal(0, cache.Buffers.Lent);
            pile.Dispose();
        }
        GC.SuppressFinalize(this);
    }
}
