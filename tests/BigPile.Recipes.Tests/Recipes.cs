using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Time.Testing;
using ZiggyCreatures.Caching.Fusion;
using ZiggyCreatures.Caching.Fusion.Serialization.SystemTextJson;

namespace BigPile.Recipes.Tests;

/// <summary>What src/RECIPES.md shows, compiled.</summary>
public static partial class Recipes
{
    /// <summary>A thing to keep.</summary>
    /// <param name="Id">Its key.</param>
    /// <param name="Name">What it is called.</param>
    public sealed record Product(string Id, string Name);

    /// <summary>The pile's own hybrid cache.</summary>
    public static void AddOwnHybrid(IServiceCollection services, string directory)
    {
        // recipe: own hybrid
        services.AddBigPile(pile => pile.Directory = directory).AsHybridCache();
        // recipe: end
    }

    /// <summary>Microsoft's hybrid cache over a pile.</summary>
    public static void AddMicrosoftHybrid(IServiceCollection services, string directory)
    {
        // recipe: microsoft hybrid
        services.AddBigPile(pile => pile.Directory = directory).AsDistributedCache();
        services.AddHybridCache();                           // takes the registered IDistributedCache as its second level
        // recipe: end
    }

    /// <summary>A call of either.</summary>
    public static ValueTask<Product> FindAsync(HybridCache cache, string id, Func<string, CancellationToken, ValueTask<Product>> load)
    {
        // recipe: hybrid call
        return cache.GetOrCreateAsync($"product:{id}", token => load(id, token), tags: ["products"]);
        // recipe: end
    }

    /// <summary>FusionCache over a pile.</summary>
    public static void AddFusion(IServiceCollection services, string directory)
    {
        // recipe: fusion
        services.AddBigPile(pile => pile.Directory = directory).AsDistributedCache();
        services.AddFusionCache()
            .WithRegisteredDistributedCache()
            .WithSerializer(new FusionCacheSystemTextJsonSerializer())
            .WithDefaultEntryOptions(entry => entry
                .SetDuration(TimeSpan.FromMinutes(5))
                .SetFailSafe(true, maxDuration: TimeSpan.FromHours(24))   // the pile keeps it for so long, also over a restart
                .SetFactoryTimeouts(softTimeout: TimeSpan.FromMilliseconds(500)));
        // recipe: end
    }

    /// <summary>Sessions that outlive a restart.</summary>
    public static void AddSessions(IServiceCollection services, string directory)
    {
        // recipe: sessions
        services.AddBigPile(pile => pile.Directory = directory)
            .AsDistributedCache(new TableOptions("sessions") { CollisionMode = CollisionMode.Durable, MaxBytes = 1L << 30 });
        services.AddSession(session => session.IdleTimeout = TimeSpan.FromMinutes(20));   // and app.UseSession()
        // recipe: end
    }

    /// <summary>Sessions and FusionCache, each with a table of its own.</summary>
    public static void AddBoth(IServiceCollection services, string directory)
    {
        // recipe: both
        services.AddBigPile(pile => pile.Directory = directory)
            .AsDistributedCache()                                     // for sessions, and IDistributedCache without a key
            .AsDistributedCache(new TableOptions("products") { CollisionMode = CollisionMode.Durable }, serviceKey: "products");
        services.AddSession();
        services.AddFusionCache()
            .WithRegisteredKeyedDistributedCache("products")
            .WithSerializer(new FusionCacheSystemTextJsonSerializer());
        // recipe: end
    }

    /// <summary>Whole responses in a pile.</summary>
    public static void AddOutputCache(IServiceCollection services, string directory)
    {
        // recipe: output cache
        services.AddBigPile(pile => pile.Directory = directory).AsOutputCacheStore();
        services.AddOutputCache(output => output.AddBasePolicy(policy => policy.Expire(TimeSpan.FromMinutes(1)).Tag("pages")));
        // recipe: end
    }

    /// <summary>The same with endpoints.</summary>
    public static void MapCached(WebApplication app, Func<string> render)
    {
        // recipe: output cache endpoints
        app.UseOutputCache();
        app.MapGet("/page", () => Results.Text(render(), "text/html")).CacheOutput();
        // recipe: end
    }

    /// <summary>What a user of MemoryCache writes.</summary>
    public static void AddTable(IServiceCollection services, string directory)
    {
        // recipe: table
        services.AddBigPile(pile => pile.Directory = directory)
            .AddTable<string, Product>("products");          // inject CacheTable<string, Product>
        // recipe: end
    }

    /// <summary>In the place of IMemoryCache.GetOrCreateAsync.</summary>
    public static ValueTask<Product> GetOrCreateAsync(
        CacheTable<string, Product> products, string id, Func<string, CancellationToken, ValueTask<Product>> load, CancellationToken stop)
    {
        // recipe: table call
        return products.GetOrAddAsync(id, load, new EntryOptions { MaxAge = TimeSpan.FromMinutes(5) }, stop);
        // recipe: end
    }

    /// <summary>What a source answers to a conditional request.</summary>
    /// <param name="Product">What it has; null: nothing, or what the caller has.</param>
    /// <param name="MaxAge">For how long it is right.</param>
    /// <param name="IsNotModified">Whether the caller has it.</param>
    /// <param name="IsPrivate">Whether it is for this caller only.</param>
    /// <param name="Reason">Why there is nothing.</param>
    public sealed record Answer(Product? Product, TimeSpan MaxAge, bool IsNotModified, bool IsPrivate, string Reason);

    /// <summary>A table whose factories may fail and take long.</summary>
    public static CacheTable<string, Product> GetResilientTable(PileCache cache)
    {
        // recipe: resilient table
        return cache.GetOrCreateTable<string, Product>(new TableOptions("products")
        {
            DefaultMaxAge = TimeSpan.FromMinutes(5),
            MaxAgeJitter = TimeSpan.FromSeconds(20),                   // not all at once
            DefaultFailSafeMaxAge = TimeSpan.FromHours(24),            // kept for factories that fail
            FailSafeThrottle = TimeSpan.FromSeconds(30),               // then the factory is tried again
            FactorySoftTimeout = TimeSpan.FromMilliseconds(300),       // then the stale value, and the factory goes on
            FactoryHardTimeout = TimeSpan.FromSeconds(10),             // then an error
            EagerRefresh = 0.8,                                        // from four minutes on it runs in the background
            NullMaxAge = TimeSpan.FromSeconds(30),                     // what is not there may come soon
        });
        // recipe: end
    }

    /// <summary>A value, and whether it is old.</summary>
    public static async Task<string> DescribeAsync(
        CacheTable<string, Product> products, string id, Func<string, CancellationToken, ValueTask<Product>> load)
    {
        // recipe: stale
        MadeValue<Product> made = await products.GetOrAddEntryAsync(id, (id, _, stop) => load(id, stop));
        return made.Origin == ValueOrigin.Stale ? $"{made.Value.Name} (as of before: {made.Failure?.Message})" : made.Value.Name;
        // recipe: end
    }

    /// <summary>A conditional request.</summary>
    public static ValueTask<Product> AskAsync(
        CacheTable<string, Product> products, string id, Func<string, string?, CancellationToken, Task<Answer>> ask)
    {
        // recipe: deciding factory
        return products.GetOrAddAsync(id, async (id, context, stop) =>
        {
            Answer answer = await ask(id, context.HasStale ? context.Stale.Name : null, stop);   // If-None-Match
            context.Options = new EntryOptions { MaxAge = answer.MaxAge };
            context.IsKept = !answer.IsPrivate;
            return answer.IsNotModified ? context.NotModified() : answer.Product ?? context.Fail(answer.Reason);
        });
        // recipe: end
    }

    /// <summary>Many products with one query.</summary>
    public static async Task<IReadOnlyDictionary<string, Product>> FindManyAsync(
        CacheTable<string, Product> products, string[] ids,
        Func<IReadOnlyList<string>, CancellationToken, ValueTask<IReadOnlyDictionary<string, Product>>> query)
    {
        // recipe: many keys
        return await products.GetOrAddManyAsync(ids, (missing, stop) => query(missing, stop));   // those that are missing, once
        // recipe: end
    }

    /// <summary>How many queries a cache makes at a time.</summary>
    public static PileCacheOptions Bounded()
    {
        // recipe: bounded factories
        return new PileCacheOptions { MaxFactories = 64, MaxRefreshes = 8 };
        // recipe: end
    }

    /// <summary>A change that prolongs nothing.</summary>
    public static void Change(CacheTable<string, Product> products, string id, Product product)
    {
        // recipe: kept lifetime
        products.Put(id, product, new EntryOptions { KeepsLifetime = true });
        // recipe: end
    }

    /// <summary>A cache whose time a test advances, and of which nothing is left.</summary>
    public static PileCache MakeCache(FakeTimeProvider time)
    {
        // recipe: cache of a test
        var options = new PileCacheOptions { OwnsPile = true, TimeProvider = time, SweepPeriod = TimeSpan.Zero };
        return new PileCache(TestPiles.Make(maxBytes: 8 << 20), options);
        // recipe: end
    }

    /// <summary>Entries that expire when the test wants them to.</summary>
    public static bool IsThereAfter(CacheTable<string, Product> products, FakeTimeProvider time, Product product)
    {
        // recipe: expiry
        products.Put("a", product, new EntryOptions { MaxAge = TimeSpan.FromMinutes(5) });
        time.Advance(TimeSpan.FromMinutes(6));
        bool isThere = products.ContainsKey("a");          // false: it is missing at once
        products.Sweep();                                  // its memory is freed, and EntriesRemoved reports it
        // recipe: end
        return isThere;
    }

    /// <summary>Code that meets a full pile.</summary>
    public static void RunWhileFull(PileCache cache, Action run)
    {
        // recipe: full pile
        using (PileFiller.FillUp(cache.Pile))              // objects of its own: no entry goes for them
            run();                                         // puts evict, or throw PileFullException where nothing may go
        // recipe: end
    }

    /// <summary>Evictions where there is space.</summary>
    public static long EvictAsWanted(CacheTable<string, Product> products)
    {
        // recipe: eviction
        products.Evict("a");                               // this one
        products.EvictNow(10);                             // ten that the table's policy chooses
        return products.EvictAll();                        // how many went; those with EntryPriority.NeverEvict stay
        // recipe: end
    }
}
