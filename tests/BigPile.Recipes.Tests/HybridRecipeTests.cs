using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Recipes.Tests;

/// <summary>Both hybrid caches: the pile's own, and Microsoft's with the pile as its second level.</summary>
public sealed class HybridRecipeTests : IDisposable
{
    private static readonly HybridCacheEntryOptions Never = new() { Flags = HybridCacheEntryFlags.DisableUnderlyingData };

    private readonly TemporaryDirectory _directory = new();
    private int _loads;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Objects_outlive_a_restart_and_go_with_their_tag(bool isOwn)
    {
        Action<IServiceCollection, string> recipe = isOwn ? Recipes.AddOwnHybrid : Recipes.AddMicrosoftHybrid;
        for (int start = 0; start < 2; start++)
        {
            await using WebApplication app = await RecipeHost.StartAsync(recipe, _directory);
            HybridCache cache = app.Services.GetRequiredService<HybridCache>();
            Assert.Equal(new Recipes.Product("a", "loaded 1"), await Recipes.FindAsync(cache, "a", LoadAsync));
            await app.StopAsync();
        }
        Assert.Equal(1, _loads);
        await using WebApplication last = await RecipeHost.StartAsync(recipe, _directory);
        HybridCache again = last.Services.GetRequiredService<HybridCache>();
        await again.RemoveByTagAsync("products");
        Assert.Equal(new Recipes.Product("a", "loaded 2"), await Recipes.FindAsync(again, "a", LoadAsync));
        await last.StopAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_was_set_or_removed_is_so_behind_a_restart(bool isOwn)
    {
        Action<IServiceCollection, string> recipe = isOwn ? Recipes.AddOwnHybrid : Recipes.AddMicrosoftHybrid;
        await using (WebApplication app = await RecipeHost.StartAsync(recipe, _directory))
        {
            HybridCache cache = app.Services.GetRequiredService<HybridCache>();
            await cache.SetAsync("set", new Recipes.Product("s", "set"));
            await cache.SetAsync("removed", new Recipes.Product("r", "removed"));
            await cache.RemoveAsync("removed");
            await app.StopAsync();
        }
        await using WebApplication again = await RecipeHost.StartAsync(recipe, _directory);
        HybridCache found = again.Services.GetRequiredService<HybridCache>();
        Assert.Equal("set", (await found.GetOrCreateAsync("set", NoneAsync, Never))?.Name);
        Assert.Null(await found.GetOrCreateAsync("removed", NoneAsync, Never));
        await again.StopAsync();
    }

    private static ValueTask<Recipes.Product?> NoneAsync(CancellationToken stop) =>
        throw new InvalidOperationException("Nobody is to load it.");

    private ValueTask<Recipes.Product> LoadAsync(string id, CancellationToken stop) =>
        new(new Recipes.Product(id, "loaded " + Interlocked.Increment(ref _loads)));
}
