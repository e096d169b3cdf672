using System;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Tests;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace BigPile.Server.Tests.Api;

/// <summary>How long entries live, by a clock that the test moves.</summary>
public sealed class LifetimeTests : IAsyncLifetime
{
    private const string Path = "/v1/tables/t/entries/k";

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private RunningServer _server = null!;

    private CacheTable<string, byte[]> Table => _server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");

    public async Task InitializeAsync()
    {
        _server = await RunningServer.StartAsync(
            _directory.Pile, services => services.Replace(ServiceDescriptor.Singleton<TimeProvider>(_time)));
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Theory]
    [InlineData("BigPile-Ttl", "30s", 30_000)]
    [InlineData("BigPile-Ttl", "30", 30_000)]
    [InlineData("BigPile-Ttl", "500ms", 500)]
    [InlineData("BigPile-Ttl", "5m", 300_000)]
    [InlineData("BigPile-Ttl", "2h", 7_200_000)]
    [InlineData("BigPile-Ttl", "1d", 86_400_000)]
    [InlineData("BigPile-Sliding", "10s", 10_000)]
    [InlineData("Cache-Control", "private, max-age=60", 60_000)]
    public async Task An_entry_is_gone_when_its_time_is_over(string header, string value, int ms)
    {
        (await _server.SendAsync("PUT", Path, [1], (header, value))).EnsureSuccessStatusCode();
        Assert.True(Table.TryGetEntry("k", out TableEntry<string> entry));
        Assert.Equal(_time.GetUtcNow().AddMilliseconds(ms), entry.ExpiresAt);
        _time.Advance(TimeSpan.FromMilliseconds(ms));
        Assert.Equal(HttpStatusCode.NotFound, (await _server.Client.GetAsync(Path)).StatusCode);
    }

    [Fact]
    public async Task An_instant_counts_and_the_ttl_header_counts_before_cache_control()
    {
        DateTimeOffset end = _time.GetUtcNow().AddMinutes(1);
        (await _server.SendAsync("PUT", Path, [1], ("BigPile-Expires", end.ToString("R")))).EnsureSuccessStatusCode();
        Assert.True(Table.TryGetEntry("k", out TableEntry<string> entry));
        Assert.Equal(end, entry.ExpiresAt);
        (await _server.SendAsync("PUT", Path, [1], ("BigPile-Ttl", "7s"), ("Cache-Control", "max-age=9"))).EnsureSuccessStatusCode();
        Assert.True(Table.TryGetEntry("k", out entry));
        Assert.Equal(_time.GetUtcNow().AddSeconds(7), entry.ExpiresAt);
    }

    [Fact]
    public async Task Priority_and_tags_are_kept_and_tags_evict()
    {
        (await _server.SendAsync("PUT", Path, [1], ("BigPile-Tags", "a, b"), ("BigPile-Priority", "never-evict")))
            .EnsureSuccessStatusCode();
        (await _server.SendAsync("PUT", Path + "2", [1], ("BigPile-Tags", "c"))).EnsureSuccessStatusCode();
        Assert.True(Table.TryGetEntry("k", out TableEntry<string> entry));
        Assert.Equal(EntryPriority.NeverEvict, entry.Priority);
        Assert.Equal(HttpStatusCode.NoContent,
            (await _server.SendAsync("POST", "/v1/tables/t:evict", "{\"tags\":[\"b\",\"x\"]}"u8.ToArray())).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await _server.Client.GetAsync(Path)).StatusCode);
        Assert.Equal([1], await _server.Client.GetByteArrayAsync(Path + "2"));
    }

    [Fact]
    public async Task Touch_begins_the_time_anew_or_sets_another()
    {
        HttpResponseMessage put = await _server.SendAsync("PUT", Path, [1], ("BigPile-Ttl", "10s"), ("BigPile-Tags", "a"));
        _time.Advance(TimeSpan.FromSeconds(8));
        HttpResponseMessage touched = await _server.SendAsync("POST", Path + ":touch", []);
        Assert.Equal(HttpStatusCode.NoContent, touched.StatusCode);
        Assert.NotEqual(put.Headers.ETag, touched.Headers.ETag);
        Assert.Equal(touched.Headers.ETag, (await _server.Client.GetAsync(Path)).Headers.ETag);
        _time.Advance(TimeSpan.FromSeconds(8));
        Assert.Equal([1], await _server.Client.GetByteArrayAsync(Path));
        (await _server.SendAsync("POST", Path + ":touch", [], ("BigPile-Ttl", "1h"))).EnsureSuccessStatusCode();
        _time.Advance(TimeSpan.FromMinutes(59));
        Assert.Equal([1], await _server.Client.GetByteArrayAsync(Path));
        (await _server.SendAsync("POST", "/v1/tables/t:evict", "{\"tags\":[\"a\"]}"u8.ToArray())).EnsureSuccessStatusCode();
        await ServerTest.ProblemAsync(await _server.SendAsync("POST", Path + ":touch", []), HttpStatusCode.NotFound, "entry_not_found");
    }

    [Fact]
    public async Task Persist_takes_the_end_away()
    {
        HttpResponseMessage put = await _server.SendAsync("PUT", Path, [1], ("BigPile-Ttl", "10s"), ("BigPile-Sliding", "5s"));
        string tag = put.Headers.ETag!.Tag;
        await ServerTest.ProblemAsync(
            await _server.SendAsync("POST", Path + ":persist", [], ("If-Match", "\"0\"")), HttpStatusCode.PreconditionFailed,
            "precondition_failed");
        Assert.Equal(HttpStatusCode.NoContent, (await _server.SendAsync("POST", Path + ":persist", [], ("If-Match", tag))).StatusCode);
        _time.Advance(TimeSpan.FromDays(1000));
        Assert.Equal([1], await _server.Client.GetByteArrayAsync(Path));
        await ServerTest.ProblemAsync(
            await _server.SendAsync("POST", Path + ":touch", [], ("BigPile-Tags", "a")), HttpStatusCode.BadRequest, "header_invalid");
    }

    [Fact]
    public async Task A_key_that_ends_like_an_action_is_reached_in_every_method()
    {
        const string Literal = "/v1/tables/t/entries/a:touch";
        (await _server.SendAsync("PUT", Literal, [7])).EnsureSuccessStatusCode();
        Assert.True(Table.TryGet("a:touch", out _));
        Assert.Equal([7], await _server.Client.GetByteArrayAsync("/v1/tables/t/entries/a%3Atouch"));
        Assert.Equal(HttpStatusCode.NotFound, (await _server.SendAsync("POST", Literal, [])).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await _server.SendAsync("POST", "/v1/tables/t/entries/a%3Atouch:touch", [])).StatusCode);
        await ServerTest.ProblemAsync(
            await _server.SendAsync("POST", "/v1/tables/t/entries/a%3Atouch", [8]), HttpStatusCode.Conflict, "entry_exists");
        Assert.Equal(HttpStatusCode.Created, (await _server.SendAsync("POST", "/v1/tables/t/entries/b%3apersist", [8])).StatusCode);
        Assert.True(Table.TryGet("b:persist", out _));
        Assert.Equal(HttpStatusCode.NoContent, (await _server.SendAsync("DELETE", Literal, null)).StatusCode);
    }
}
