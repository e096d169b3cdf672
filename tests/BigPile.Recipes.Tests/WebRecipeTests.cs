using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Recipes.Tests;

/// <summary>Sessions and responses over a restart, and a table in the place of a memory cache.</summary>
public sealed class WebRecipeTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private int _rendered;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_session_goes_on_behind_a_restart()
    {
        string? cookie = null;
        for (int start = 1; start <= 2; start++)
        {
            await using WebApplication app = await RecipeHost.StartAsync(Add, _directory, static app =>
            {
                app.UseSession();
                app.MapGet("/count", static (HttpContext context) =>
                {
                    int count = (context.Session.GetInt32("count") ?? 0) + 1;
                    context.Session.SetInt32("count", count);
                    return count;
                });
            });
            using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
            using var request = new HttpRequestMessage(HttpMethod.Get, "/count");
            if (cookie != null)
                request.Headers.Add("Cookie", cookie);
            using HttpResponseMessage answer = await client.SendAsync(request);
            Assert.Equal(start.ToString(CultureInfo.InvariantCulture), await answer.Content.ReadAsStringAsync());
            if (answer.Headers.TryGetValues("Set-Cookie", out IEnumerable<string>? set))
                cookie = set.Single().Split(';')[0];
            await app.StopAsync();
        }

        // Keys that protect the cookie are kept as an application with more than one start keeps them.
        void Add(IServiceCollection services, string directory)
        {
            Recipes.AddSessions(services, directory);
            services.AddDataProtection().PersistKeysToFileSystem(new DirectoryInfo(_directory.Path));
        }
    }

    [Fact]
    public async Task A_response_is_kept_over_a_restart_and_goes_with_its_tag()
    {
        for (int start = 0; start < 2; start++)
        {
            await using WebApplication app = await StartPagesAsync();
            Assert.Equal("page 1", await GetPageAsync(app));
            await app.StopAsync();
        }
        await using WebApplication last = await StartPagesAsync();
        await last.Services.GetRequiredService<IOutputCacheStore>().EvictByTagAsync("pages", default);
        Assert.Equal("page 2", await GetPageAsync(last));
        await last.StopAsync();
    }

    [Fact]
    public async Task A_table_runs_a_factory_once_and_keeps_what_it_made()
    {
        int loads = 0;
        for (int start = 0; start < 2; start++)
        {
            await using WebApplication app = await RecipeHost.StartAsync(Recipes.AddTable, _directory);
            CacheTable<string, Recipes.Product> products = app.Services.GetRequiredService<CacheTable<string, Recipes.Product>>();
            for (int i = 0; i < 3; i++)
                Assert.Equal(new Recipes.Product("a", "1"), await Recipes.GetOrCreateAsync(products, "a", LoadAsync, default));
            await app.StopAsync();
        }
        Assert.Equal(1, loads);

        ValueTask<Recipes.Product> LoadAsync(string id, CancellationToken stop) =>
            new(new Recipes.Product(id, Interlocked.Increment(ref loads).ToString(CultureInfo.InvariantCulture)));
    }

    private Task<WebApplication> StartPagesAsync() => RecipeHost.StartAsync(
        Recipes.AddOutputCache, _directory, app => Recipes.MapCached(app, () => "page " + Interlocked.Increment(ref _rendered)));

    private static async Task<string> GetPageAsync(WebApplication app)
    {
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        client.DefaultRequestHeaders.Host = "page.example"; // a response is of its host, and each start has another port
        return await client.GetStringAsync("/page");
    }
}
