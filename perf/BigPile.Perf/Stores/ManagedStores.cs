using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using BitFaster.Caching;
using BitFaster.Caching.Lfu;
using BitFaster.Caching.Lru;
using BitFaster.Caching.Scheduler;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using ZiggyCreatures.Caching.Fusion;

namespace BigPile.Perf.Stores;

/// <summary>A concurrent dictionary of arrays.</summary>
internal sealed class ConcurrentDictionaryStore<TKey> : IStore<TKey>
    where TKey : notnull
{
    private readonly ConcurrentDictionary<TKey, byte[]> _entries = new();

    public string Name => "ConcurrentDictionary";

    public void Put(TKey key, ReadOnlySpan<byte> value) => _entries[key] = value.ToArray();

    public ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer) => _entries.GetValueOrDefault(key);

    public void Dispose() => _entries.Clear();
}

/// <summary>A memory cache of arrays.</summary>
internal sealed class MemoryCacheStore<TKey> : IStore<TKey>
    where TKey : notnull
{
    private readonly MemoryCache _entries = new(new MemoryCacheOptions());

    public string Name => "MemoryCache";

    public void Put(TKey key, ReadOnlySpan<byte> value) => _entries.Set(key, value.ToArray());

    public ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer) => _entries.Get<byte[]>(key);

    public void Dispose() => _entries.Dispose();
}

/// <summary>A cache of BitFaster, with arrays, that is large enough for all.</summary>
internal sealed class BitFasterStore<TKey> : IStore<TKey>
    where TKey : notnull
{
    private const int Parts = 3; // of a ConcurrentLru: what comes in has one of them

    private readonly ICache<TKey, byte[]> _entries;

    private BitFasterStore(string name, ICache<TKey, byte[]> entries)
    {
        Name = name;
        _entries = entries;
    }

    public string Name { get; }

    /// <summary>The one that goes about by recency.</summary>
    internal static BitFasterStore<TKey> Lru(int count) => new(
        "ConcurrentLru",
        new ConcurrentLru<TKey, byte[]>(Environment.ProcessorCount, Math.Max(1, count) * Parts, EqualityComparer<TKey>.Default));

    /// <summary>The one that goes by frequency.</summary>
    internal static BitFasterStore<TKey> Lfu(int count) => new(
        "ConcurrentLfu",
        new ConcurrentLfu<TKey, byte[]>(
            Environment.ProcessorCount, Math.Max(1, count) * Parts, new ThreadPoolScheduler(), EqualityComparer<TKey>.Default));

    public void Put(TKey key, ReadOnlySpan<byte> value) => _entries.AddOrUpdate(key, value.ToArray());

    public ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer) => _entries.TryGet(key, out byte[]? value) ? value : default;

    public void Dispose() => _entries.Clear();
}

/// <summary>The memory level of FusionCache, with arrays.</summary>
internal sealed class FusionCacheStore<TKey> : IStore<TKey>
    where TKey : notnull
{
    // By default an entry lives for half a minute.
    private readonly FusionCache _entries =
        new(new FusionCacheOptions { DefaultEntryOptions = new FusionCacheEntryOptions(TimeSpan.FromHours(1)) });

    public string Name => "FusionCache";

    public void Put(TKey key, ReadOnlySpan<byte> value) => _entries.Set(KeyText.Of(key), value.ToArray());

    public ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer) => _entries.TryGet<byte[]>(KeyText.Of(key)).GetValueOrDefault([]);

    public void Dispose() => _entries.Dispose();
}

/// <summary>The memory level of Microsoft's HybridCache, with arrays.</summary>
internal sealed class HybridCacheStore<TKey> : IStore<TKey>
    where TKey : notnull
{
    private static readonly HybridCacheEntryOptions ReadOnly = new() { Flags = HybridCacheEntryFlags.DisableUnderlyingData };

    private readonly ServiceProvider _services;
    private readonly HybridCache _entries;

    public HybridCacheStore()
    {
        var services = new ServiceCollection();
        services.AddHybridCache(static cache => cache.DefaultEntryOptions = new() { Expiration = TimeSpan.FromHours(1) });
        _services = services.BuildServiceProvider();
        _entries = _services.GetRequiredService<HybridCache>();
    }

    public string Name => "HybridCache";

    public void Put(TKey key, ReadOnlySpan<byte> value) =>
        _entries.SetAsync(KeyText.Of(key), value.ToArray()).AsTask().GetAwaiter().GetResult();

    public ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer) =>
        _entries.GetOrCreateAsync<byte[]?>(KeyText.Of(key), static _ => default, ReadOnly).AsTask().GetAwaiter().GetResult();

    public void Dispose() => _services.Dispose();
}

/// <summary>A key as the caches want it that know only texts.</summary>
internal static class KeyText
{
    internal static string Of<TKey>(TKey key)
        where TKey : notnull => key as string ?? key.ToString()!;
}
