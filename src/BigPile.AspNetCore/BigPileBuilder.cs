using System;
using System.Collections.Generic;
using BigPile.AspNetCore.Health;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore;

/// <summary>Adds tables and caches to a pile of an application.</summary>
/// <remarks>
/// Services of the unnamed pile have no key; those of a named pile have its name as their key. A method's <c>serviceKey</c> overrides that.
/// Each cache has a table of its own.
/// </remarks>
public sealed class BigPileBuilder
{
    private static readonly string[] DefaultHealthTags = ["ready"];

    internal BigPileBuilder(IServiceCollection services, string name)
    {
        Services = services;
        Name = name;
    }

    /// <summary>The application's services.</summary>
    public IServiceCollection Services { get; }

    /// <summary>The pile's name; empty for the unnamed pile.</summary>
    public string Name { get; }

    private string? DefaultKey => Name.Length == 0 ? null : Name;

    /// <summary>Adds a table. It exists before the host serves anything.</summary>
    /// <remarks>
    /// The table is a keyed service under its name, or <c>pile/table</c> in a named pile. The pile's first table of these types is also
    /// registered by type alone (in a named pile: with the pile's name as the key).
    /// </remarks>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="TValue">The type of the values.</typeparam>
    /// <param name="options">The table's name and options.</param>
    /// <returns>This builder.</returns>
    public BigPileBuilder AddTable<TKey, TValue>(TableOptions options)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(options);
        Services.Configure<BigPileOptions>(Name, pile => pile.Tables.Add(TableRegistration.Of<TKey, TValue>(options)));
        string? pile = DefaultKey;
        string key = pile == null ? options.Name : $"{pile}/{options.Name}";
        // Found anew each time: the application may drop the table, and make it again.
        CacheTable<TKey, TValue> Find(IServiceProvider provider)
        {
            PileCache cache = HostOf(provider, pile).OpenedCache();
            return cache.TryGetTable(options.Name, out CacheTable<TKey, TValue>? table)
                ? table
                : cache.GetOrCreateTable<TKey, TValue>(options);
        }

        Services.TryAddKeyedTransient(key, (provider, _) => Find(provider));
        if (pile == null)
            Services.TryAddTransient(Find);
        else
            Services.TryAddKeyedTransient(pile, (provider, _) => Find(provider));
        return this;
    }

    /// <summary>Adds a durable table. It exists before the host serves anything.</summary>
    /// <inheritdoc cref="AddTable{TKey, TValue}(TableOptions)"/>
    /// <param name="name">The table's name.</param>
    public BigPileBuilder AddTable<TKey, TValue>(string name)
        where TKey : notnull =>
        AddTable<TKey, TValue>(new TableOptions(name) { CollisionMode = CollisionMode.Durable });

    /// <summary>Registers a table of the pile as the application's <see cref="IDistributedCache"/>, with buffer support.</summary>
    /// <remarks>
    /// It may hold sessions: it gives way in a full pile only where <see cref="TableOptions.GivesWay"/> says so.
    /// </remarks>
    /// <param name="table">The table's name and options; a durable table <c>distributed-cache</c> when left out.</param>
    /// <param name="serviceKey">The key of the service, if it is not to be the pile's.</param>
    /// <returns>This builder.</returns>
    public BigPileBuilder AsDistributedCache(TableOptions? table = null, object? serviceKey = null)
    {
        TableOptions options = WithDefault(table ?? Durable("distributed-cache"), givesWay: false);
        AddAdapterTable<byte[]>(options);
        string? pile = DefaultKey;
        Add<PileDistributedCache, IDistributedCache>(
            serviceKey,
            provider => new PileDistributedCache(
                new PileTable<byte[]>(HostOf(provider, pile), options), provider.GetRequiredService<TimeProvider>()));
        return this;
    }

    /// <summary>Registers a table of the pile as the application's <see cref="HybridCache"/>.</summary>
    /// <param name="configure">Sets the table, limits, default lifetimes and an optional second level.</param>
    /// <param name="serviceKey">The key of the service, if it is not to be the pile's.</param>
    /// <returns>This builder.</returns>
    public BigPileBuilder AsHybridCache(Action<PileHybridCacheOptions>? configure = null, object? serviceKey = null)
    {
        var options = new PileHybridCacheOptions();
        configure?.Invoke(options);
        options.Validate();
        AddAdapterTable<object?>(options.Table, AdapterAdvice.OfHybridCache(options.Table));
        string? pile = DefaultKey;
        Add<PileHybridCache, HybridCache>(serviceKey, provider => PileHybridCache.Of(HostOf(provider, pile), options, provider));
        return this;
    }

    /// <summary>Registers a table of the pile as the application's <see cref="IOutputCacheStore"/>, with buffer support.</summary>
    /// <remarks>It gives way in a full pile unless <see cref="TableOptions.GivesWay"/> says otherwise.</remarks>
    /// <param name="table">The table's name and options; a durable table <c>output-cache</c> when left out.</param>
    /// <param name="serviceKey">The key of the service, if it is not to be the pile's.</param>
    /// <returns>This builder.</returns>
    public BigPileBuilder AsOutputCacheStore(TableOptions? table = null, object? serviceKey = null)
    {
        TableOptions options = WithDefault(table ?? Durable("output-cache"), givesWay: true);
        AddAdapterTable<byte[]>(options, AdapterAdvice.OfOutputCache(options));
        string? pile = DefaultKey;
        Add<PileOutputCacheStore, IOutputCacheStore>(
            serviceKey,
            provider => new PileOutputCacheStore(
                new PileTable<byte[]>(HostOf(provider, pile), options), provider.GetRequiredService<ILogger<PileOutputCacheStore>>()));
        return this;
    }

    /// <summary>
    /// Adds a health check: healthy when the pile is open and all table entries are found, degraded while it opens or rebuilds indexes,
    /// after a failed flush, and for a minute after it refused a put as it was full.
    /// </summary>
    /// <param name="name">The check's name; when left out <c>bigpile</c>, or <c>bigpile-NAME</c> for a named pile.</param>
    /// <param name="failureStatus">The status when the pile could not be opened or is closed; unhealthy when left out.</param>
    /// <param name="tags">The check's tags; <c>ready</c> when left out.</param>
    /// <returns>This builder.</returns>
    public BigPileBuilder WithHealthCheck(string? name = null, HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        string? pile = DefaultKey;
        Services.AddHealthChecks().Add(new HealthCheckRegistration(
            name ?? (pile == null ? "bigpile" : $"bigpile-{pile}"), provider => new PileHealthCheck(HostOf(provider, pile)), failureStatus,
            tags ?? DefaultHealthTags));
        return this;
    }

    private static TableOptions Durable(string name) => new(name) { CollisionMode = CollisionMode.Durable };

    /// <summary>The options of an adapter's table, which gives way in a full pile by a default of its own.</summary>
    internal static TableOptions WithDefault(TableOptions options, bool givesWay) =>
        options with { GivesWay = options.GivesWay ?? givesWay };

    private static PileHost HostOf(IServiceProvider provider, string? pile) =>
        pile == null ? provider.GetRequiredService<PileHost>() : provider.GetRequiredKeyedService<PileHost>(pile);

    private void AddAdapterTable<TValue>(TableOptions options, string? advice = null) => Services.Configure<BigPileOptions>(Name, pile =>
    {
        pile.Tables.Add(TableRegistration.Of<string, TValue>(options, isOpaque: true));
        if (advice != null)
            pile.Advice.Add(advice);
    });

    // Add, not TryAdd: the last registration wins, and the framework adds its own defaults only where there is none.
    private void Add<TCache, TService>(object? serviceKey, Func<IServiceProvider, TCache> make)
        where TCache : class, TService
        where TService : class
    {
        object? key = serviceKey ?? DefaultKey;
        if (key == null)
        {
            Services.AddSingleton(make);
            Services.AddSingleton<TService>(static provider => provider.GetRequiredService<TCache>());
        }
        else
        {
            Services.AddKeyedSingleton(key, (provider, _) => make(provider));
            Services.AddKeyedSingleton<TService>(key, static (provider, key) => provider.GetRequiredKeyedService<TCache>(key));
        }
    }
}
