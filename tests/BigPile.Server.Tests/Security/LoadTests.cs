using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching.Tests;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace BigPile.Server.Tests.Security;

/// <summary>What bounds requests that are there at the same time, and how long one may take.</summary>
public sealed class LoadTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Requests_beyond_the_limit_are_to_come_back_and_probes_are_answered()
    {
        await using RunningServer server = await StartAsync("--Limits:ConcurrentRequests=2");
        using TcpClient first = await BeginPutAsync(server);
        using TcpClient second = await BeginPutAsync(server);
        using HttpResponseMessage refused = await server.Client.GetAsync("/v1/tables");
        await ServerTest.ProblemAsync(refused, HttpStatusCode.ServiceUnavailable, "overloaded");
        Assert.Equal("1", refused.Headers.RetryAfter?.ToString());
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync("/health/ready")).StatusCode);

        await first.GetStream().WriteAsync("ok"u8.ToArray());
        Assert.StartsWith("HTTP/1.1 201", await ReadAsync(first), StringComparison.Ordinal);
        await Eventually.TrueAsync(() => server.Service<RequestLoad>().Running == 1);
        Assert.Equal("ok", await server.Client.GetStringAsync("/v1/tables/t/entries/k"));
    }

    [Fact]
    public async Task Reads_at_the_door_are_under_the_same_limit_and_get_the_same_refusal()
    {
        await using RunningServer server = await StartAsync("--Limits:ConcurrentRequests=1");
        FastPathCounters counters = server.Service<FastPathCounters>();
        RequestLoad load = server.Service<RequestLoad>();
        Assert.Equal(HttpStatusCode.Created, (await server.PutAsync("/v1/tables/t/entries/there", "is"u8.ToArray())).StatusCode);
        Assert.Equal("is", await server.Client.GetStringAsync("/v1/tables/t/entries/there"));
        Assert.Equal(1, counters.Answered);
        using TcpClient put = await BeginPutAsync(server);
        Assert.Equal(1, load.Running);
        using HttpResponseMessage refused = await server.Client.GetAsync("/v1/tables/t/entries/there");
        using HttpResponseMessage refusedByStack = await server.Client.GetAsync("/v1/tables");
        JsonElement problem = await ServerTest.ProblemAsync(refused, HttpStatusCode.ServiceUnavailable, "overloaded");
        JsonElement stacks = await ServerTest.ProblemAsync(refusedByStack, HttpStatusCode.ServiceUnavailable, "overloaded");
        Assert.Equal(WithoutTrace(stacks), WithoutTrace(problem));
        Assert.Equal(1, problem.GetProperty("limit").GetInt32());
        Assert.Equal("1", refused.Headers.RetryAfter?.ToString());
        Assert.Equal(1, counters.Answered);

        await put.GetStream().WriteAsync("ok"u8.ToArray());
        Assert.StartsWith("HTTP/1.1 201", await ReadAsync(put), StringComparison.Ordinal);
        await Eventually.TrueAsync(() => load.Running == 0);
        Assert.Equal("ok", await server.Client.GetStringAsync("/v1/tables/t/entries/k"));
        Assert.Equal(2, counters.Answered);
    }

    [Fact]
    public async Task One_request_at_once_is_enough_for_a_client_that_goes_through_both_doors()
    {
        await using RunningServer server = await StartAsync("--Limits:ConcurrentRequests=1");
        foreach ((string key, int lengthBytes) in new[] { ("small", 10), ("large", 100_000) })
            Assert.Equal(HttpStatusCode.Created, (await server.PutAsync("/v1/tables/t/entries/" + key, new byte[lengthBytes])).StatusCode);
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, server.Address.Port);
        string[] keys = ["small", "large", "small", "none", "large", "small"];
        string sent = string.Concat(keys.Select(static key => $"GET /v1/tables/t/entries/{key} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            + "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(sent));
        using var reader = new StreamReader(client.GetStream(), Encoding.Latin1);
        string answers = await reader.ReadToEndAsync().WaitAsync(Eventually.Timeout);
        Assert.Equal(
            ["200", "200", "200", "404", "200", "200", "200"],
            answers.Split("HTTP/1.1 ")[1..].Select(static answer => answer[..3]));
        await Eventually.TrueAsync(() => server.Service<RequestLoad>().Running == 0);
        Assert.Equal(4, server.Service<FastPathCounters>().Answered);
    }

    [Fact]
    public async Task A_request_that_has_had_its_time_is_told_so()
    {
        await using RunningServer server = await StartAsync("--Limits:RequestSeconds=10", "--Limits:GraceSeconds=5");
        using TcpClient slow = await BeginPutAsync(server);
        _time.Advance(TimeSpan.FromSeconds(10));
        string answer = await ReadAsync(slow);
        Assert.StartsWith("HTTP/1.1 503", answer, StringComparison.Ordinal);
        Assert.Contains("request_timed_out", answer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_takes_too_long_is_cut_off()
    {
        await using RunningServer server = await StartAsync("--Limits:RequestSeconds=10", "--Limits:GraceSeconds=5");
        using TcpClient slow = await BeginPutAsync(server);
        _time.Advance(TimeSpan.FromSeconds(9));
        _time.Advance(TimeSpan.FromSeconds(1)); // its token
        _time.Advance(TimeSpan.FromSeconds(5)); // its connection
        Assert.DoesNotContain("201", await ReadAsync(slow), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await server.Client.GetAsync("/v1/tables/t/entries/k")).StatusCode);
    }

    [Fact]
    public async Task Connections_beyond_the_limit_are_closed()
    {
        await using RunningServer server = await StartAsync("--Limits:Connections=2");
        var held = new List<TcpClient>();
        try
        {
            for (int i = 0; i < 2; i++)
                held.Add(await BeginPutAsync(server));
            using var third = new TcpClient();
            await third.ConnectAsync(IPAddress.Loopback, server.Address.Port);
            await third.GetStream().WriteAsync("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray());
            Assert.Equal("", await ReadAsync(third));
        }
        finally
        {
            held.ForEach(static client => client.Dispose());
        }
    }

    [Fact]
    public async Task The_limits_reach_the_server()
    {
        await using RunningServer server = await StartAsync(
            "--Limits:RequestLineBytes=5k", "--Limits:HeaderBytes=2k", "--Limits:HeaderCount=9", "--Limits:HeadSeconds=7",
            "--Limits:KeepAliveSeconds=11", "--Limits:MinBodyBytesPerSecond=0", "--Limits:MinResponseBytesPerSecond=13",
            "--Limits:GraceSeconds=3");
        KestrelServerLimits limits = server.Service<IOptions<KestrelServerOptions>>().Value.Limits;
        Assert.Equal((5120, 2048, 9), (limits.MaxRequestLineSize, limits.MaxRequestHeadersTotalSize, limits.MaxRequestHeaderCount));
        Assert.Equal((7, 11), (limits.RequestHeadersTimeout.TotalSeconds, limits.KeepAliveTimeout.TotalSeconds));
        Assert.Null(limits.MinRequestBodyDataRate);
        Assert.Equal((13, 3), (limits.MinResponseDataRate!.BytesPerSecond, limits.MinResponseDataRate.GracePeriod.TotalSeconds));
        Assert.Equal(10_000, limits.MaxConcurrentConnections);
        Assert.NotNull(server.Service<LimitSettings>());
    }

    private static string[] WithoutTrace(JsonElement problem) =>
        [.. problem.EnumerateObject().Where(static property => property.Name != "traceId").Select(static property => property.ToString())];

    private async Task<RunningServer> StartAsync(params string[] settings)
    {
        RunningServer server =
            await RunningServer.StartAsync(_directory.Pile, services => services.AddSingleton<TimeProvider>(_time), settings);
        return server;
    }

    // The server says "continue" when the request runs.
    private static async Task<TcpClient> BeginPutAsync(RunningServer server)
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, server.Address.Port);
        byte[] head =
            "PUT /v1/tables/t/entries/k HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"u8.ToArray();
        await client.GetStream().WriteAsync(head);
        Assert.Equal("HTTP/1.1 100 Continue\r\n\r\n", await ReadAsync(client));
        return client;
    }

    private static async Task<string> ReadAsync(TcpClient client)
    {
        var buffer = new byte[4096];
        try
        {
            int length = await client.GetStream().ReadAsync(buffer).AsTask().WaitAsync(Eventually.Timeout);
            return Encoding.ASCII.GetString(buffer.AsSpan(0, length));
        }
        catch (IOException)
        {
            return "";
        }
    }
}
