using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace BigPile.Server.Tests.Observation;

public sealed class HealthTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("/health/ready")]
    [InlineData("/health/startup")]
    public async Task A_pile_that_came_back_says_how_warm_it_is(string path)
    {
        await using (RunningServer first = await RunningServer.StartAsync(_directory.Pile))
        {
            for (int i = 0; i < 100; i++)
                (await first.PutAsync("/v1/tables/t/entries/" + i.ToString(CultureInfo.InvariantCulture), new byte[1_000]))
                    .EnsureSuccessStatusCode();
        }
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        await server.Service<PileCache>().Pile.Recovery.Completion;
        using HttpResponseMessage response = await server.Client.GetAsync(path);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.True(response.Headers.CacheControl!.NoStore);
        JsonElement report = JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal("ready", report.GetProperty("status").GetString());
        JsonElement recovery = report.GetProperty("recovery");
        Assert.Equal(1, recovery.GetProperty("progress").GetDouble());
        Assert.Equal(0, recovery.GetProperty("remainingBytes").GetInt64());
        Assert.True(recovery.GetProperty("totalBytes").GetInt64() > 100_000);
        Assert.True(recovery.GetProperty("wasClean").GetBoolean());
        JsonElement index = report.GetProperty("index");
        Assert.Equal(1, index.GetProperty("progress").GetDouble());
        Assert.True(index.GetProperty("wasRestored").GetBoolean());
        Assert.False(report.TryGetProperty("background", out _));
    }

    [Fact]
    public async Task Probes_say_what_failed_in_the_background_without_its_text_and_the_statistics_with_it()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        Pile pile = server.Service<PileCache>().Pile;
        for (int i = 0; i < 3; i++)
            pile.Fail("the flush by interval", new UnauthorizedAccessException("/secret/path"));
        JsonElement ready = JsonDocument.Parse(await server.Client.GetStringAsync("/health/ready")).RootElement;
        Assert.Equal(3, ready.GetProperty("background").GetProperty("failures").GetInt64());
        Assert.Equal("the flush by interval: UnauthorizedAccessException", ready.GetProperty("background").GetProperty("last").GetString());
        JsonElement stats = JsonDocument.Parse(await server.Client.GetStringAsync("/v1/stats")).RootElement.GetProperty("pile");
        Assert.Equal(3, stats.GetProperty("backgroundFailures").GetInt64());
        Assert.Equal("the flush by interval: /secret/path", stats.GetProperty("lastBackgroundFailure").GetString());
    }

    [Fact]
    public async Task Probes_say_why_flushes_are_degraded_without_a_path_and_the_statistics_with_it()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        Pile pile = server.Service<PileCache>().Pile;
        pile.Put("text");
        string log = Path.Combine(_directory.Pile, File.Exists(Path.Combine(_directory.Pile, "log-0")) ? "log-1" : "log-0");
        Directory.CreateDirectory(log); // no file can have its name
        Assert.Throws<PileStorageException>(() => pile.Flush());
        using HttpResponseMessage response = await server.Client.GetAsync("/health/ready");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode); // entries are served
        JsonElement ready = JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal("The last flush failed.", ready.GetProperty("degraded").GetString());
        JsonElement stats = JsonDocument.Parse(await server.Client.GetStringAsync("/v1/stats")).RootElement.GetProperty("pile");
        Assert.Contains(log, stats.GetProperty("flushTrouble").GetString(), StringComparison.Ordinal);
        Directory.Delete(log);
        pile.Flush();
        ready = JsonDocument.Parse(await server.Client.GetStringAsync("/health/ready")).RootElement;
        Assert.False(ready.TryGetProperty("degraded", out _));
    }

    [Fact]
    public async Task Probes_say_that_puts_are_refused_and_the_statistics_why()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile, "--Pile:MaxBytes=8m");
        using (HttpResponseMessage refused = await server.PutAsync("/v1/tables/t/entries/large", new byte[8 << 20]))
            Assert.Equal(HttpStatusCode.InsufficientStorage, refused.StatusCode);
        using HttpResponseMessage response = await server.Client.GetAsync("/health/ready");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode); // entries are served
        JsonElement ready = JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement;
        Assert.StartsWith(
            "The pile is full, and has refused a put ", ready.GetProperty("degraded").GetString(), StringComparison.Ordinal);
        JsonElement stats = JsonDocument.Parse(await server.Client.GetStringAsync("/v1/stats")).RootElement.GetProperty("pile");
        Assert.Equal(1, stats.GetProperty("refusedPuts").GetInt64());
        Assert.Contains(
            "Raise PileOptions.MaxBytes (Pile:MaxBytes of a server)", stats.GetProperty("lastRefusal").GetString(),
            StringComparison.Ordinal);
        Assert.True(stats.TryGetProperty("lastRefusedAt", out _));
        Assert.Contains("bigpile_put_refused_total", await server.Client.GetStringAsync("/metrics"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_is_told_to_stop_is_not_ready_and_has_started()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        using var client = new System.Net.Sockets.TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, server.Address.Port);
        await client.GetStream().WriteAsync(
            "PUT /v1/tables/t/entries/k HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"u8.ToArray());
        var buffer = new byte[4_096];
        Assert.NotEqual(0, await client.GetStream().ReadAsync(buffer)); // the request runs, and keeps the server
        Assert.Equal("ready", await ProbeAsync(server, "/health/ready"));
        Task stop = server.StopAsync();
        Assert.True(server.Service<IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested);
        Assert.Equal("stopping", await ProbeAsync(server, "/health/ready"));
        await client.GetStream().WriteAsync("ok"u8.ToArray());
        await stop;
    }

    // A server that stops takes no new connections: its endpoint is asked itself.
    private static async Task<string?> ProbeAsync(RunningServer server, string path)
    {
        RouteEndpoint probe = server.Service<EndpointDataSource>().Endpoints.OfType<RouteEndpoint>().Single(
            endpoint => endpoint.RoutePattern.RawText == path);
        await using AsyncServiceScope scope = server.Services.CreateAsyncScope();
        var context = new DefaultHttpContext { RequestServices = scope.ServiceProvider };
        using var body = new MemoryStream();
        context.Response.Body = body;
        await probe.RequestDelegate!(context);
        return JsonDocument.Parse(body.ToArray()).RootElement.GetProperty("status").GetString();
    }
}
