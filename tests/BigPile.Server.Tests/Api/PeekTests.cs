using System;
using System.Buffers.Binary;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Tests;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace BigPile.Server.Tests.Api;

/// <summary>Looking at entries without using them, by a clock that the test moves.</summary>
public sealed class PeekTests : IAsyncLifetime
{
    private const string Path = "/v1/tables/t/entries/k";
    private const string Peek = Path + "?look=true";

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private RunningServer _server = null!;

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

    [Fact]
    public async Task A_look_prolongs_no_sliding_life_and_a_read_does()
    {
        (await _server.SendAsync("PUT", Path, [1], ("BigPile-Sliding", "10s"))).EnsureSuccessStatusCode();
        _time.Advance(TimeSpan.FromSeconds(6));
        Assert.Equal("4", await HeaderAsync("GET", Peek, "BigPile-Ttl"));
        Assert.Equal("4", await HeaderAsync("HEAD", Peek, "BigPile-Ttl"));
        (await _server.Client.GetAsync(Path)).EnsureSuccessStatusCode();
        Assert.Equal("10", await HeaderAsync("GET", Peek, "BigPile-Ttl"));
        _time.Advance(TimeSpan.FromSeconds(9));
        (await _server.Client.GetAsync(Peek)).EnsureSuccessStatusCode();
        _time.Advance(TimeSpan.FromSeconds(2)); // a renewal may have been written a sixteenth ahead
        Assert.Equal(HttpStatusCode.NotFound, (await _server.Client.GetAsync(Peek)).StatusCode);
    }

    [Fact]
    public async Task A_look_is_neither_a_hit_nor_a_miss()
    {
        (await _server.SendAsync("PUT", Path, [1])).EnsureSuccessStatusCode();
        (await _server.Client.GetAsync(Peek)).EnsureSuccessStatusCode();
        await ServerTest.ProblemAsync(await _server.Client.GetAsync(Path + "x?look=true"), HttpStatusCode.NotFound, "entry_not_found");
        TableStatistics statistics = _server.Service<PileCache>().GetStatistics("t");
        Assert.Equal((0, 0), (statistics.Hits, statistics.Misses));
    }

    [Theory]
    [InlineData("", true)]
    [InlineData("?look=true", false)]
    public async Task A_look_keeps_nothing_from_being_evicted_and_a_read_does(string query, bool stays)
    {
        (await _server.SendAsync("PUT", "/v1/tables/t", Encoding.UTF8.GetBytes("{\"maximumEntries\":100}"))).EnsureSuccessStatusCode();
        (await _server.SendAsync("PUT", Path, [1])).EnsureSuccessStatusCode();
        for (int i = 0; i < 4; i++)
            (await _server.Client.GetAsync(Path + query)).EnsureSuccessStatusCode();
        for (int i = 0; i < 150; i++)
            (await _server.SendAsync("PUT", $"/v1/tables/t/entries/{i}", [1])).EnsureSuccessStatusCode();
        Assert.Equal(stays ? HttpStatusCode.OK : HttpStatusCode.NotFound, (await _server.Client.GetAsync(Peek)).StatusCode);
    }

    [Fact]
    public async Task An_export_keeps_nothing_from_being_evicted()
    {
        (await _server.SendAsync("PUT", "/v1/tables/t", Encoding.UTF8.GetBytes("{\"maximumEntries\":100}"))).EnsureSuccessStatusCode();
        (await _server.SendAsync("PUT", Path, [1])).EnsureSuccessStatusCode();
        for (int i = 0; i < 4; i++)
            _ = await _server.Client.GetStringAsync("/v1/tables/t:export");
        for (int i = 0; i < 150; i++)
            (await _server.SendAsync("PUT", $"/v1/tables/t/entries/{i}", [1])).EnsureSuccessStatusCode();
        Assert.Equal(HttpStatusCode.NotFound, (await _server.Client.GetAsync(Peek)).StatusCode);
    }

    [Fact]
    public async Task A_look_tells_priority_tags_and_the_parts_of_the_lifetime()
    {
        (await _server.SendAsync(
            "PUT", Path, [1], ("BigPile-Tags", "red, blue"), ("BigPile-Priority", "high"), ("BigPile-Sliding", "10s"),
            ("BigPile-Ttl", "1h"))).EnsureSuccessStatusCode();
        Assert.Equal("high", await HeaderAsync("GET", Peek, "BigPile-Priority"));
        Assert.Equal("10s", await HeaderAsync("GET", Peek, "BigPile-Sliding"));
        Assert.Equal(_time.GetUtcNow().AddHours(1).ToString("R"), await HeaderAsync("HEAD", Peek, "BigPile-Expires"));
        string hashes = await HeaderAsync("GET", Peek, "BigPile-Tag-Hashes");
        Assert.Equal([HashOf("blue"), HashOf("red")], hashes.Split(", ").Order());
        Assert.Equal("", await HeaderAsync("GET", Path, "BigPile-Tag-Hashes"));
        (await _server.SendAsync("PUT", Path, [1])).EnsureSuccessStatusCode();
        Assert.Equal("normal", await HeaderAsync("GET", Peek, "BigPile-Priority"));
        foreach (string name in new[] { "BigPile-Tag-Hashes", "BigPile-Sliding", "BigPile-Expires" })
            Assert.Equal("", await HeaderAsync("GET", Peek, name));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(200_000)]
    public async Task A_look_answers_as_a_read_does(int lengthBytes)
    {
        byte[] payload = [.. Enumerable.Range(0, lengthBytes).Select(static i => (byte)i)];
        (await _server.SendAsync("PUT", Path, payload, ("Content-Type", "image/png"))).EnsureSuccessStatusCode();
        using HttpResponseMessage read = await _server.Client.GetAsync(Path);
        using HttpResponseMessage peek = await _server.Client.GetAsync(Peek);
        Assert.Equal(payload, await peek.Content.ReadAsByteArrayAsync());
        Assert.Equal(read.Headers.ETag, peek.Headers.ETag);
        Assert.Equal(read.Content.Headers.ContentType, peek.Content.Headers.ContentType);
        using HttpResponseMessage head = await _server.SendAsync("HEAD", Peek, null);
        Assert.Equal((HttpStatusCode.OK, lengthBytes), (head.StatusCode, head.Content.Headers.ContentLength));
        using HttpResponseMessage known = await _server.SendAsync("GET", Peek, null, ("If-None-Match", read.Headers.ETag!.ToString()));
        Assert.Equal(HttpStatusCode.NotModified, known.StatusCode);
        using HttpResponseMessage part = await _server.SendAsync("GET", Peek, null, ("Range", "bytes=0-0"));
        Assert.Equal(lengthBytes == 0 ? HttpStatusCode.RequestedRangeNotSatisfiable : HttpStatusCode.PartialContent, part.StatusCode);
    }

    [Theory]
    [InlineData("?look=yes")]
    [InlineData("?look=")]
    public async Task A_look_is_asked_for_in_one_way(string query) =>
        await ServerTest.ProblemAsync(await _server.Client.GetAsync(Path + query), HttpStatusCode.BadRequest, "query_invalid");

    private static string HashOf(string tag) =>
        BinaryPrimitives.ReadUInt64LittleEndian(SHA256.HashData(Encoding.UTF8.GetBytes(tag))).ToString("x16");

    private async Task<string> HeaderAsync(string method, string path, string name)
    {
        using HttpResponseMessage response = await _server.SendAsync(method, path, null);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return response.Headers.TryGetValues(name, out var values) ? string.Join(", ", values)
            : response.Content.Headers.TryGetValues(name, out values) ? string.Join(", ", values) : "";
    }
}
