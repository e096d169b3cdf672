using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Http;

/// <summary>Tables of the application's own objects: HTTP neither sends their bytes nor puts others among them.</summary>
public sealed class OpaqueTableTests : IAsyncLifetime
{
    private const string Refusal = "value_not_servable";

    private static readonly string Long = new('x', 100_000);

    private readonly TemporaryDirectory _directory = new();
    private WebApplication _app = null!;
    private HttpClient _client = null!;

    /// <summary>Every table that an application may have, and a key of it.</summary>
    private static IEnumerable<(string Table, string Key)> Places =>
        [("people", "a"), ("people", "long"), ("texts", "a"), ("texts", "long"), ("numbers", "a"), ("nulls", "a"), ("sessions", "a"),
            ("hybrid", "a")];

    public Task InitializeAsync() => StartAsync(isOwner: true);

    public async Task DisposeAsync()
    {
        await StopAsync();
        _directory.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Reads_are_refused_whoever_has_the_pile_open(bool isOwner)
    {
        await FillAsync();
        await StopAsync();
        await StartAsync(isOwner);
        IEnumerable<(string Table, string Key)> places = isOwner
            ? Places
            : Places.Where(static place => place.Table is not ("sessions" or "hybrid"));
        foreach ((string table, string key) in places)
        {
            string path = $"/v1/tables/{table}/entries/{key}";
            await AssertRefusedAsync(Get(path));
            await AssertRefusedAsync(Get(path, "Range", "bytes=0-1"));
            await AssertRefusedAsync(Get(path, "If-None-Match", "\"0\""));
            await AssertRefusedAsync(Get(path, "If-None-Match", "*"));
            Assert.Equal(HttpStatusCode.Conflict, (await _client.SendAsync(new HttpRequestMessage(HttpMethod.Head, path))).StatusCode);
            JsonElement item = await GetManyAsync(table, key);
            Assert.Equal((409, Refusal), (item.GetProperty("status").GetInt32(), item.GetProperty("code").GetString()));
            await AssertRefusedAsync(Get($"/v1/tables/{table}:export"));
            Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync($"/v1/tables/{table}/entries/none")).StatusCode);
            Assert.Contains($"\"{key}\"", await _client.GetStringAsync($"/v1/tables/{table}/keys"), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Puts_are_refused_and_change_nothing(bool isOwner)
    {
        await FillAsync();
        await StopAsync();
        await StartAsync(isOwner);
        IEnumerable<string> tables = Places.Select(static place => place.Table).Distinct();
        if (!isOwner)
            tables = tables.Except(["sessions", "hybrid", "nulls"]);
        foreach (string table in tables)
            await AssertPutsRefusedAsync(table);
        await StopAsync();
        await StartAsync(isOwner: true);
        CacheTable<string, Poco> people = _app.Services.GetRequiredService<CacheTable<string, Poco>>();
        Assert.All(people.Keys, key => Assert.NotNull(people.Get(key)));
        Assert.False(people.ContainsKey("new"));
        Assert.Equal("text", _app.Services.GetRequiredService<CacheTable<string, string>>().Get("a"));
    }

    [Fact]
    public async Task A_table_that_is_mapped_as_objects_takes_no_payloads_even_before_it_is_there()
    {
        await AssertPutsRefusedAsync("mapped");
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync("/v1/tables/mapped")).StatusCode);
        var body = new StringContent("""{"Name":"n"}""", Encoding.UTF8, "application/json");
        Assert.Equal(HttpStatusCode.Created, (await _client.PutAsync("/mapped/a", body)).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync("/mapped/a")).StatusCode);
        await AssertRefusedAsync(Get("/v1/tables/mapped/entries/a"));
    }

    [Fact]
    public async Task Objects_are_removed_and_touched_like_payloads()
    {
        await FillAsync();
        Assert.Equal(HttpStatusCode.NoContent, (await _client.PostAsync("/v1/tables/people/entries/a:touch", null)).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await _client.DeleteAsync("/v1/tables/people/entries/a")).StatusCode);
        Assert.False(_app.Services.GetRequiredService<CacheTable<string, Poco>>().ContainsKey("a"));
    }

    [Fact]
    public async Task A_table_of_bytes_that_the_application_added_is_served()
    {
        Assert.Equal(HttpStatusCode.Created, (await _client.PutAsync("/v1/tables/bytes/entries/a", new StringContent("hi"))).StatusCode);
        Assert.Equal("hi", await _client.GetStringAsync("/v1/tables/bytes/entries/a"));
    }

    private async Task StartAsync(bool isOwner)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(
            static server => server.Listen(IPAddress.Loopback, 0, static listen => listen.UseBigPileFastReads()));
        BigPileBuilder pile = builder.Services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Directory = _directory.Path;
        });
        builder.Services.AddBigPileHttp();
        if (isOwner)
        {
            pile.AddTable<string, Poco>("people").AddTable<string, string>("texts").AddTable<string, long>("numbers")
                .AddTable<string, object?>("nulls").AddTable<string, byte[]>("bytes")
                .AsDistributedCache(new TableOptions("sessions"))
                .AsHybridCache(static options => options.Table = new TableOptions("hybrid"));
        }
        builder.Services.PostConfigureAll<BigPileOptions>(TestHost.Wait);
        _app = builder.Build();
        _app.MapBigPile();
        _app.MapTable<Poco>("/mapped/{key}", "mapped");
        await _app.StartAsync();
        _client = new HttpClient { BaseAddress = new Uri(_app.Urls.Single()) };
    }

    private async Task StopAsync()
    {
        _client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private async Task FillAsync()
    {
        IServiceProvider services = _app.Services;
        services.GetRequiredService<CacheTable<string, Poco>>().Put("a", new Poco { Name = "n" });
        services.GetRequiredService<CacheTable<string, Poco>>().Put("long", new Poco { Name = Long });
        services.GetRequiredService<CacheTable<string, string>>().Put("a", "text");
        services.GetRequiredService<CacheTable<string, string>>().Put("long", "\t" + Long);
        services.GetRequiredService<CacheTable<string, long>>().Put("a", 1);
        services.GetRequiredService<CacheTable<string, object?>>().Put("a", null);
        // Bytes that look like a content type and a payload.
        await services.GetRequiredService<IDistributedCache>().SetAsync("a", [1, 2, 3]);
        await services.GetRequiredService<HybridCache>().SetAsync<byte[]>("a", [1, 2, 3]);
    }

    private static HttpRequestMessage Get(string path, string? header = null, string? value = null)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, path);
        if (header != null)
            Assert.True(request.Headers.TryAddWithoutValidation(header, value));
        return request;
    }

    private async Task AssertPutsRefusedAsync(string table)
    {
        foreach (string key in new[] { "a", "new" })
        {
            await AssertRefusedAsync(
                new HttpRequestMessage(HttpMethod.Put, $"/v1/tables/{table}/entries/{key}") { Content = new StringContent("x") });
            await AssertRefusedAsync(
                new HttpRequestMessage(HttpMethod.Post, $"/v1/tables/{table}/entries/{key}") { Content = new StringContent("x") });
        }
        var many = new StringContent("""{"items":[{"key":"new","text":"x"}]}""", Encoding.UTF8, "application/json");
        await AssertRefusedAsync(new HttpRequestMessage(HttpMethod.Post, $"/v1/tables/{table}:mset") { Content = many });
        await AssertRefusedAsync(
            new HttpRequestMessage(HttpMethod.Post, $"/v1/tables/{table}:load?key=k") { Content = new StringContent("{\"k\":\"new\"}") });
    }

    private async Task AssertRefusedAsync(HttpRequestMessage request)
    {
        string what = $"{request.Method} {request.RequestUri} {request.Headers}";
        using HttpResponseMessage answer = await _client.SendAsync(request);
        string body = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.Conflict
            && body.Contains(Refusal, StringComparison.Ordinal), $"{what}: {answer.StatusCode} {body}");
    }

    private async Task<JsonElement> GetManyAsync(string table, string key)
    {
        var keys = new StringContent(JsonSerializer.Serialize(new { keys = new[] { key } }), Encoding.UTF8, "application/json");
        using HttpResponseMessage answer = await _client.PostAsync($"/v1/tables/{table}:mget", keys);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement.GetProperty("items")[0];
    }

    public sealed class Poco
    {
        public string Name { get; set; } = "";
    }
}
