using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using ZiggyCreatures.Caching.Fusion;

namespace BigPile.Recipes.Tests;

/// <summary>FusionCache with the pile as its distributed level.</summary>
public sealed class FusionRecipeTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private int _loads;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_value_that_has_gone_stale_is_given_behind_a_restart_while_the_source_fails()
    {
        FusionCacheEntryOptions brief = new FusionCacheEntryOptions(TimeSpan.FromMilliseconds(1)).SetFailSafe(true, TimeSpan.FromHours(1));
        await WithCacheAsync(async cache => await cache.SetAsync("k", new Recipes.Product("k", "old"), brief));
        await WithCacheAsync(async cache =>
        {
            Recipes.Product found =
                await cache.GetOrSetAsync<Recipes.Product>("k", (_, _) => throw new TimeoutException("It is down."), brief);
            Assert.Equal("old", found.Name);
            await Assert.ThrowsAsync<TimeoutException>(async () => await cache.GetOrSetAsync<Recipes.Product>(
                "none", (_, _) => throw new TimeoutException("It is down."), brief));
        });
    }

    [Fact]
    public async Task A_value_is_loaded_anew_ahead_of_its_end()
    {
        FusionCacheEntryOptions eager = new FusionCacheEntryOptions(TimeSpan.FromHours(1)).SetEagerRefresh(0.000_000_1f);
        await WithCacheAsync(async cache =>
        {
            await cache.GetOrSetAsync<Recipes.Product>("k", LoadAsync, eager);
            await Eventually.TrueAsync(async () => (await cache.GetOrSetAsync<Recipes.Product>("k", LoadAsync, eager)).Name != "loaded 1");
        });
        await WithCacheAsync(async cache => Assert.NotEqual("loaded 1", (await cache.GetOrDefaultAsync<Recipes.Product>("k"))?.Name));
    }

    [Fact]
    public async Task Tags_remove_what_has_them_also_behind_a_restart()
    {
        await WithCacheAsync(async cache =>
        {
            await cache.SetAsync("tagged", new Recipes.Product("t", "tagged"), tags: ["shop"]);
            await cache.SetAsync("plain", new Recipes.Product("p", "plain"));
            await cache.RemoveByTagAsync("shop");
        });
        await WithCacheAsync(async cache =>
        {
            Assert.Null(await cache.GetOrDefaultAsync<Recipes.Product>("tagged"));
            Assert.Equal("plain", (await cache.GetOrDefaultAsync<Recipes.Product>("plain"))?.Name);
        });
    }

    [Fact]
    public async Task Two_caches_over_one_pile_do_not_mix()
    {
        await using WebApplication app = await RecipeHost.StartAsync(Recipes.AddBoth, _directory);
        await app.Services.GetRequiredService<IFusionCache>().SetAsync("k", new Recipes.Product("k", "kept"));
        await app.Services.GetRequiredService<IDistributedCache>().SetAsync("session", [1]);
        PileCache pile = app.Services.GetRequiredService<PileCache>();
        Assert.Equal(["distributed-cache", "products"], pile.TableNames);
        Assert.All(pile.TableNames, name => Assert.Equal(1, pile.GetStatistics(name).EntryCount));
        await app.StopAsync();
    }

    [Fact]
    public async Task Durations_are_those_of_the_distributed_entry()
    {
        await WithCacheAsync(async cache =>
        {
            var brief = new FusionCacheEntryOptions(TimeSpan.FromHours(1)) { DistributedCacheDuration = TimeSpan.FromMilliseconds(1) };
            await cache.SetAsync("brief", new Recipes.Product("b", "brief"), brief.SetFailSafe(false));
            await cache.SetAsync("long", new Recipes.Product("l", "long"), new FusionCacheEntryOptions(TimeSpan.FromHours(1)));
        });
        await WithCacheAsync(async cache =>
        {
            Assert.Null(await cache.GetOrDefaultAsync<Recipes.Product>("brief"));
            Assert.Equal("long", (await cache.GetOrDefaultAsync<Recipes.Product>("long"))?.Name);
        });
    }

    [Fact]
    public async Task Types_that_know_neither_of_the_two_come_back()
    {
        var value = new Dictionary<string, List<Version>> { ["a"] = [new Version(1, 2), new Version(3, 4, 5)] };
        await WithCacheAsync(async cache => await cache.SetAsync("k", value));
        await WithCacheAsync(async cache => Assert.Equal(value, await cache.GetOrDefaultAsync<Dictionary<string, List<Version>>>("k")));
    }

    [Fact]
    public async Task Many_callers_run_the_factory_once()
    {
        await WithCacheAsync(async cache =>
        {
            var calls = new Task<Recipes.Product>[32];
            for (int i = 0; i < calls.Length; i++)
                calls[i] = cache.GetOrSetAsync<Recipes.Product>("k", LoadAsync).AsTask();
            Assert.All(await Task.WhenAll(calls), static found => Assert.Equal("loaded 1", found.Name));
        });
    }

    private async Task WithCacheAsync(Func<IFusionCache, Task> use)
    {
        await using WebApplication app = await RecipeHost.StartAsync(Recipes.AddFusion, _directory);
        Assert.IsType<PileDistributedCache>(app.Services.GetRequiredService<IDistributedCache>());
        await use(app.Services.GetRequiredService<IFusionCache>());
        await app.StopAsync();
    }

    private Task<Recipes.Product> LoadAsync(FusionCacheFactoryExecutionContext<Recipes.Product> context, CancellationToken stop) =>
        Task.FromResult(new Recipes.Product("k", "loaded " + Interlocked.Increment(ref _loads)));
}
