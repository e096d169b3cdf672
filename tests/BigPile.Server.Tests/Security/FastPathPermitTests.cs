using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching.Tests;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Security;

/// <summary>A request costs one permit, whether the fast path answers it, hands it to the full stack, or never checks its key.</summary>
public sealed class FastPathPermitTests : IAsyncLifetime
{
    private const int Permits = 12;

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new(); // it stands still: no permit comes back
    private string _credential = "";
    private RunningServer _server = null!;

    public async Task InitializeAsync()
    {
        BigPileKey limited = BigPileKey.Create("limited", KeyScopes.Read, out _credential);
        BigPileKey writer = BigPileKey.Create("writer", KeyScopes.Write, out string writing);
        _server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<TimeProvider>(_time),
            "--Security:Keys:0:Name=limited", $"--Security:Keys:0:Hash={limited.Hash}", "--Security:Keys:0:Scopes=read",
            "--Security:Keys:0:RequestsPerSecond=1", $"--Security:Keys:0:Burst={Permits}",
            "--Security:Keys:1:Name=writer", $"--Security:Keys:1:Hash={writer.Hash}", "--Security:Keys:1:Scopes=write");
        foreach ((string key, int lengthBytes) in new[] { ("small", 100), ("large", 100_000) })
        {
            using HttpResponseMessage put = await _server.SendAsync(
                "PUT", "/v1/tables/t/entries/" + key, new byte[lengthBytes], ("Authorization", "Bearer " + writing));
            Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        }
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Theory]
    [InlineData("door", 1, true)]
    [InlineData("large", 0, true)]
    [InlineData("large", 0, false)]
    [InlineData("header", 0, true)]
    [InlineData("query", 0, false)]
    [InlineData("door,large", 1, true)]
    [InlineData("door,large", 1, false)]
    [InlineData("large,header,door,query", 1, true)]
    [InlineData("head,door,large,missing,large,large,door,header", 4, true)]
    public async Task As_many_requests_are_answered_as_there_are_permits(string kinds, int byFastPath, bool staysOpen)
    {
        FastPathCounters counters = _server.Service<FastPathCounters>();
        string[] round = kinds.Split(',');
        string[] sent = [.. Enumerable.Range(0, Permits).Select(i => round[i % round.Length])];
        foreach (string kind in sent)
        {
            using HttpResponseMessage response = await SendAsync(kind, staysOpen);
            Assert.Equal(kind == "missing" ? HttpStatusCode.NotFound : HttpStatusCode.OK, response.StatusCode);
        }
        string[] answeredByFastPath = ["door", "head", "missing"];
        Assert.Equal(byFastPath, round.Count(answeredByFastPath.Contains));
        Assert.Equal(sent.Count(answeredByFastPath.Contains), counters.Answered);
        foreach (string kind in round.Where(static kind => kind != "head"))
        {
            using HttpResponseMessage refused = await SendAsync(kind, staysOpen);
            JsonElement problem = await ServerTest.ProblemAsync(refused, HttpStatusCode.TooManyRequests, "rate_limited");
            Assert.Equal(1_000, problem.GetProperty("retryAfterMs").GetInt64());
        }
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.NotEqual(HttpStatusCode.TooManyRequests, (await SendAsync(round[0], staysOpen)).StatusCode);
        Assert.Equal(HttpStatusCode.TooManyRequests, (await SendAsync(round[^1], staysOpen)).StatusCode);
    }

    private async Task<HttpResponseMessage> SendAsync(string kind, bool staysOpen)
    {
        string path = "/v1/tables/t/entries/" + kind switch
        {
            "large" => "large",
            "missing" => "none",
            "query" => "small?maxAge=1000",
            _ => "small",
        };
        using var request = new HttpRequestMessage(kind == "head" ? HttpMethod.Head : HttpMethod.Get, path);
        request.Headers.TryAddWithoutValidation("Authorization", "Bearer " + _credential);
        request.Headers.ConnectionClose = staysOpen ? null : true;
        if (kind == "header")
            request.Headers.Add("X-Nobody-Knows", "1");
        return await _server.Client.SendAsync(request);
    }
}
