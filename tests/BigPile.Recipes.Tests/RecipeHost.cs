using System;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Recipes.Tests;

/// <summary>An application made by a recipe, which runs.</summary>
internal static class RecipeHost
{
    internal static async Task<WebApplication> StartAsync(
        Action<IServiceCollection, string> recipe, TemporaryDirectory directory, Action<WebApplication>? map = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        recipe(builder.Services, directory.Pile);
        builder.Services.ConfigureAll<BigPileOptions>(static pile =>
        {
            pile.SegmentBytes = 4 << 20;
            pile.StartWait = TimeSpan.FromMinutes(5); // a busy machine takes long
        });
        WebApplication app = builder.Build();
        map?.Invoke(app);
        await app.StartAsync();
        Assert.Empty(app.Services.GetRequiredService<PileCache>().Advice()); // no recipe has settings that don't fit together
        return app;
    }
}
