using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Http;

/// <summary>Tables that the application drops, and may make again, while clients use them.</summary>
public sealed class DroppedTableTests : IAsyncLifetime
{
    private const string Entry = "/v1/tables/t/entries/a";

    private WebApplication _app = null!;
    private HttpClient _client = null!;
    private PileCache _cache = null!;

    public async Task InitializeAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(
            static server => server.Listen(IPAddress.Loopback, 0, static listen => listen.UseBigPileFastReads()));
        builder.Services.AddBigPile(TestHost.Small);
        builder.Services.AddBigPileHttp();
        builder.Services.PostConfigureAll<BigPileOptions>(TestHost.Wait);
        _app = builder.Build();
        _app.MapBigPile();
        await _app.StartAsync();
        _client = new HttpClient { BaseAddress = new Uri(_app.Urls.Single()) };
        _cache = _app.Services.GetRequiredService<PileCache>();
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    [Theory]
    [InlineData("PUT", Entry)]
    [InlineData("POST", Entry)]
    [InlineData("POST", "/v1/tables/t:mset")]
    [InlineData("POST", "/v1/tables/t:load")]
    public async Task A_write_makes_the_table_again(string method, string path)
    {
        await PutAsync(HttpStatusCode.Created);
        Assert.True(_cache.DropTable("t"));
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync(Entry)).StatusCode);
        using var write = new HttpRequestMessage(new HttpMethod(method), path) { Content = BodyFor(path) };
        HttpResponseMessage answer = await _client.SendAsync(write);
        Assert.True(answer.IsSuccessStatusCode, $"{answer.StatusCode}: {await answer.Content.ReadAsStringAsync()}");
        Assert.True(_cache.TryGetTable("t", out CacheTable<string, byte[]>? table));
        Assert.Equal(1, table.Count);
        Assert.Equal("v", await _client.GetStringAsync(Entry));
    }

    [Fact]
    public async Task A_table_that_the_application_makes_again_is_the_one_that_is_served()
    {
        await PutAsync(HttpStatusCode.Created);
        Assert.True(_cache.DropTable("t"));
        _cache.GetOrCreateTable<string, byte[]>("t");
        await PutAsync(HttpStatusCode.Created);
        Assert.Equal("v", await _client.GetStringAsync(Entry));
        Assert.Equal(HttpStatusCode.NoContent, (await _client.PostAsync(Entry + ":touch", null)).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await _client.DeleteAsync(Entry)).StatusCode);
        Assert.True(_cache.DropTable("t"));
        _cache.GetOrCreateTable<int, byte[]>("t");
        await PutAsync(HttpStatusCode.Conflict); // keys that are no text are not served
    }

    [Fact]
    public async Task A_put_beside_drops_is_answered_as_if_there_were_none()
    {
        using var stop = new CancellationTokenSource();
        Task dropping = SideBySide.Start(() =>
        {
            while (!stop.IsCancellationRequested)
                _ = _cache.DropTable("t");
        });
        for (int i = 0; i < 500; i++)
        {
            HttpResponseMessage answer = await _client.PutAsync(Entry, Body());
            Assert.True(
                answer.StatusCode is HttpStatusCode.Created or HttpStatusCode.NoContent,
                $"{answer.StatusCode}: {await answer.Content.ReadAsStringAsync()}");
        }
        await stop.CancelAsync();
        await dropping;
    }

    private async Task PutAsync(HttpStatusCode expected) => Assert.Equal(expected, (await _client.PutAsync(Entry, Body())).StatusCode);

    private static StringContent Body() => new("v", Encoding.UTF8, "text/plain");

    private static HttpContent BodyFor(string path)
    {
        const string Record = """{"key":"a","text":"v"}""";
        if (path.EndsWith(":mset", StringComparison.Ordinal))
            return new StringContent($$"""{"items":[{{Record}}]}""", Encoding.UTF8, "application/json");
        return path.EndsWith(":load", StringComparison.Ordinal)
            ? new StringContent(Record, new MediaTypeHeaderValue("application/x-ndjson"))
            : Body();
    }
}
