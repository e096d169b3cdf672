using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Server.Tests.Http.Samples;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Http;

/// <summary>Tables served by an application that is not BigPile's own: what the README shows, over a real server.</summary>
public sealed class MapTableTests : IAsyncLifetime
{
    private readonly TemporaryDirectory _directory = new();
    private WebApplication _app = null!;
    private HttpClient _client = null!;

    public async Task InitializeAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.ConfigureAll<BigPileOptions>(TestHost.Small);
        builder.Services.PostConfigureAll<BigPileOptions>(TestHost.Wait);
        _app = Endpoints.Build(builder, _directory.Path);
        await _app.StartAsync();
        _client = new HttpClient { BaseAddress = new Uri(_app.Urls.Single()) };
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
        _directory.Dispose();
    }

    [Fact]
    public async Task Map_big_pile_alone_serves_entries_and_actions()
    {
        HttpResponseMessage put = await _client.PutAsync("/v1/tables/t/entries/a%2Fb%20ü", new StringContent("text"));
        Assert.Equal(
            (HttpStatusCode.Created, "/v1/tables/t/entries/a%2Fb%20%C3%BC"), (put.StatusCode, put.Headers.Location?.OriginalString));
        Assert.Equal("text", await _client.GetStringAsync("/v1/tables/t/entries/a/b%20ü"));
        HttpResponseMessage many = await _client.PostAsJsonAsync("/v1/tables/t:mget", new { keys = new[] { "a/b ü" } });
        JsonElement item = JsonDocument.Parse(await many.Content.ReadAsStringAsync()).RootElement.GetProperty("items")[0];
        Assert.Equal("text", Encoding.UTF8.GetString(item.GetProperty("base64").GetBytesFromBase64()));
        Assert.Contains("route_not_found", await (await _client.PostAsync("/v1/tables/t:none", null)).Content
            .ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync("/openapi/v1.json")).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await _client.DeleteAsync("/v1/tables/t")).StatusCode);
    }

    [Fact]
    public async Task Objects_are_served_as_json()
    {
        HttpResponseMessage created = await _client.PutAsJsonAsync("/products/a1", new Endpoints.Product("Lamp", 12.5m));
        Assert.Equal((HttpStatusCode.Created, "/products/a1"), (created.StatusCode, created.Headers.Location?.OriginalString));
        HttpResponseMessage read = await _client.GetAsync("/products/a1");
        Assert.Equal("{\"name\":\"Lamp\",\"price\":12.5}", await read.Content.ReadAsStringAsync());
        Assert.Equal(created.Headers.ETag, read.Headers.ETag);
        CacheTable<string, Endpoints.Product> table =
            _app.Services.GetRequiredService<PileCache>().GetOrCreateTable<string, Endpoints.Product>("products");
        Assert.Equal(new Endpoints.Product("Lamp", 12.5m), table.Get("a1"));

        Assert.Equal(HttpStatusCode.NotModified, (await SendAsync(HttpMethod.Get, "If-None-Match", read.Headers.ETag!.Tag)).StatusCode);
        Assert.Equal(HttpStatusCode.PreconditionFailed, (await SendAsync(HttpMethod.Put, "If-Match", "\"0\"", "{}")).StatusCode);
        Assert.Equal(HttpStatusCode.PreconditionFailed, (await SendAsync(HttpMethod.Put, "If-None-Match", "*", "{}")).StatusCode);
        HttpResponseMessage replaced = await SendAsync(HttpMethod.Put, "If-Match", read.Headers.ETag.Tag, "{\"name\":\"L\",\"price\":1}");
        Assert.Equal(HttpStatusCode.NoContent, replaced.StatusCode);
        Assert.Equal(HttpStatusCode.BadRequest, (await SendAsync(HttpMethod.Put, "X", "y", "rubbish")).StatusCode);
        Assert.Equal(HttpStatusCode.BadRequest, (await SendAsync(HttpMethod.Put, "X", "y", "null")).StatusCode);
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, (await _client.PutAsync("/products/a1", new StringContent("{}"))).StatusCode);
        Assert.Equal(HttpStatusCode.PreconditionFailed, (await SendAsync(HttpMethod.Delete, "If-Match", read.Headers.ETag.Tag)).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await SendAsync(HttpMethod.Delete, "If-Match", replaced.Headers.ETag!.Tag)).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync("/products/a1")).StatusCode);
    }

    [Fact]
    public async Task Payloads_are_served_as_they_were_put()
    {
        var body = new StringContent("<p>hi</p>", Encoding.UTF8, "text/html");
        HttpResponseMessage created = await _client.PutAsync("/pages/a/b", body);
        Assert.Equal((HttpStatusCode.Created, "/pages/a/b"), (created.StatusCode, created.Headers.Location?.OriginalString));
        HttpResponseMessage read = await _client.GetAsync("/pages/a/b");
        Assert.Equal("<p>hi</p>", await read.Content.ReadAsStringAsync());
        Assert.Equal("text/html; charset=utf-8", read.Content.Headers.ContentType?.ToString());
        Assert.Equal("<p>hi</p>", await _client.GetStringAsync("/v1/tables/pages/entries/a/b"));
        Assert.Equal(HttpStatusCode.NoContent, (await _client.DeleteAsync("/pages/a/b")).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync("/pages/a/b")).StatusCode);
    }

    [Fact]
    public async Task Changes_of_what_tables_do_not_show_yet_come_to_an_end_and_hold()
    {
        await _client.PutAsJsonAsync("/products/a1", new Endpoints.Product("Lamp", 12.5m));
        await _client.PutAsync("/pages/a", new StringContent("text"));
        PileCache cache = _app.Services.GetRequiredService<PileCache>();
        CacheTable[] tables =
            [cache.GetOrCreateTable<string, Endpoints.Product>("products"), cache.GetOrCreateTable<string, byte[]>("pages")];
        foreach (CacheTable table in tables)
            table.BeginRebuild(); // as after a kill, where the walk has found both entries and goes on
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync("/products/a1")).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync("/pages/a")).StatusCode);
        var insert = new HttpRequestMessage(HttpMethod.Put, "/v1/tables/pages/entries/a") { Content = new StringContent("new") };
        Assert.True(insert.Headers.TryAddWithoutValidation("If-None-Match", "*"));
        Assert.Equal(HttpStatusCode.PreconditionFailed, (await _client.SendAsync(insert)).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await _client.DeleteAsync("/products/a1")).StatusCode);
        foreach (CacheTable table in tables)
            table.EndRebuild();
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync("/products/a1")).StatusCode);
        Assert.Equal("text", await _client.GetStringAsync("/pages/a"));
    }

    [Fact]
    public void A_pattern_without_a_key_and_a_name_that_can_not_be_served_are_refused()
    {
        Assert.Throws<ArgumentException>(() => _app.MapTable("/x/{id}", "t"));
        Assert.Throws<ArgumentException>(() => _app.MapTable("/x/{key}", "a b"));
        Assert.Throws<ArgumentException>(() => _app.MapTable<string>("/x", "t"));
    }

    private Task<HttpResponseMessage> SendAsync(HttpMethod method, string header, string value, string? json = null)
    {
        var request = new HttpRequestMessage(method, "/products/a1");
        Assert.True(request.Headers.TryAddWithoutValidation(header, value));
        if (json != null)
            request.Content = new StringContent(json, Encoding.UTF8, "application/json");
        return _client.SendAsync(request);
    }
}
