using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Time.Testing;

namespace BigPile.Recipes.Tests;

/// <summary>What users write in their tests: time that is advanced, a pile that is full, evictions.</summary>
public sealed class TestingRecipeTests : IDisposable
{
    private readonly FakeTimeProvider _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, Recipes.Product> _products;

    public TestingRecipeTests()
    {
        _cache = Recipes.MakeCache(_time);
        _products = _cache.GetOrCreateTable<string, Recipes.Product>("products");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Entries_expire_when_the_clock_is_advanced()
    {
        var removed = new ConcurrentQueue<RemovedEntry<string>>();
        _products.EntriesRemoved += batch => removed.Enqueue(Assert.Single(batch));
        Assert.False(Recipes.IsThereAfter(_products, _time, new Recipes.Product("a", "apple")));
        Assert.Equal(0, _products.Statistics.EntryCount);
        Eventually.True(() => !removed.IsEmpty);
        Assert.Equal(("a", RemovalReason.Expired), removed.Select(static one => (one.Key, one.Reason)).Single());
    }

    [Fact]
    public void A_sweep_by_the_clock_runs_when_that_is_advanced()
    {
        using var cache = new PileCache(TestPiles.Make(), new PileCacheOptions { OwnsPile = true, TimeProvider = _time });
        CacheTable<string, Recipes.Product> products = cache.GetOrCreateTable<string, Recipes.Product>("products");
        products.Put("a", new Recipes.Product("a", "apple"), new EntryOptions { MaxAge = TimeSpan.FromMinutes(5) });
        _time.Advance(TimeSpan.FromMinutes(6));
        Eventually.True(() => products.Statistics.EntryCount == 0);
    }

    [Fact]
    public void A_durable_table_refuses_and_a_speculative_one_evicts_while_the_pile_is_full()
    {
        CacheTable<string, Recipes.Product> durable = _cache.GetOrCreateTable<string, Recipes.Product>(
            new TableOptions("durable") { CollisionMode = CollisionMode.Durable });
        Recipes.RunWhileFull(
            _cache, () => Assert.Throws<PileFullException>(() => durable.Put("a", new Recipes.Product("a", "apple"))));
        for (int i = 0; i < 100; i++)
            Put(i);
        Recipes.RunWhileFull(_cache, () =>
        {
            Assert.Equal(100, _products.Count);
            Put(100);
            Assert.NotEqual(0, _products.Statistics.Evictions);
        });
        durable.Put("a", new Recipes.Product("a", "apple"));
    }

    [Fact]
    public void Entries_are_evicted_as_wanted()
    {
        for (int i = 0; i < 100; i++)
            Put(i);
        _products.Put("a", new Recipes.Product("a", "apple"));
        _products.Put("stays", new Recipes.Product("b", "pear"), new EntryOptions { Priority = EntryPriority.NeverEvict });
        Assert.Equal(90, Recipes.EvictAsWanted(_products));
        Assert.Equal(["stays"], _products.Keys);
    }

    [Fact]
    public async Task The_tables_behind_the_caches_of_a_host_evict_too()
    {
        using var directory = new TemporaryDirectory();
        await using WebApplication app = await RecipeHost.StartAsync(Recipes.AddOwnHybrid, directory);
        HybridCache hybrid = app.Services.GetRequiredService<HybridCache>();
        int loads = 0;
        ValueTask<Recipes.Product> LoadAsync(string id, CancellationToken stop) => new(new Recipes.Product(id, $"loaded {++loads}"));
        await Recipes.FindAsync(hybrid, "a", LoadAsync);
        PileCache cache = app.Services.GetRequiredService<PileCache>();
        Assert.True(cache.TryGetTable(cache.TableNames.Single(), out CacheTable<string, object>? table));
        Assert.Equal(1, table.EvictAll());
        Assert.Equal("loaded 2", (await Recipes.FindAsync(hybrid, "a", LoadAsync)).Name);
        await app.StopAsync();
    }

    [Fact]
    public async Task A_host_has_the_registered_clock()
    {
        using var directory = new TemporaryDirectory();
        await using WebApplication app = await RecipeHost.StartAsync(Add, directory);
        CacheTable<string, Recipes.Product> products = app.Services.GetRequiredService<CacheTable<string, Recipes.Product>>();
        Assert.False(Recipes.IsThereAfter(products, _time, new Recipes.Product("a", "apple")));
        await app.StopAsync();

        void Add(IServiceCollection services, string pile)
        {
            services.AddSingleton<TimeProvider>(_time);
            Recipes.AddTable(services, pile);
        }
    }

    private void Put(int id) => _products.Put($"{id}", new Recipes.Product($"{id}", "pear"));
}
