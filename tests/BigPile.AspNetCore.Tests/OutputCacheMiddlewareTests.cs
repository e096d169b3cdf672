using System;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tests;

/// <summary>The framework's output caching on our store.</summary>
public sealed class OutputCacheMiddlewareTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(500_000)]
    public async Task Responses_of_any_size_are_cached_until_their_tag_is_evicted(int size)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddBigPile(TestHost.Small).AsOutputCacheStore();
        builder.Services.AddOutputCache();
        await using WebApplication app = builder.Build();
        int made = 0;
        app.UseOutputCache();
        app.MapGet("/", (HttpContext context) =>
        {
            context.Response.Headers["Made"] = $"{Interlocked.Increment(ref made)}";
            return Results.Bytes(Shapes.Bytes(size));
        }).CacheOutput(static policy => policy.Tag("page").Expire(TimeSpan.FromHours(1)));
        await app.StartAsync();
        await app.Services.GetRequiredService<Hosting.PileHost>().Opening;
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };

        await AssertGetAsync("1");
        await AssertGetAsync("1");
        await app.Services.GetRequiredService<IOutputCacheStore>().EvictByTagAsync("other", default);
        await AssertGetAsync("1");
        await app.Services.GetRequiredService<IOutputCacheStore>().EvictByTagAsync("page", default);
        await AssertGetAsync("2");
        await AssertGetAsync("2");
        await app.StopAsync();

        async Task AssertGetAsync(string expected)
        {
            using HttpResponseMessage response = await client.GetAsync("/");
            Assert.Equal(expected, response.Headers.GetValues("Made").Single());
            Assert.Equal(Shapes.Bytes(size), await response.Content.ReadAsByteArrayAsync());
        }
    }
}
