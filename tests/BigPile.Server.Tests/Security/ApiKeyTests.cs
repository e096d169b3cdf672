using System;
using System.Collections.Generic;
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

public sealed class ApiKeyTests : IAsyncLifetime
{
    private const string Entry = "/v1/tables/orders-1/entries/k";

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private readonly Dictionary<string, string> _credentials = [];
    private RunningServer _server = null!;

    public async Task InitializeAsync()
    {
        string[] settings =
        [
            .. Key(0, "reader", KeyScopes.Read), .. Key(1, "writer", KeyScopes.Write), .. Key(2, "admin", KeyScopes.Read | KeyScopes.Admin),
            .. Key(3, "orders", KeyScopes.Read | KeyScopes.Write), "--Security:Keys:3:Tables:0=orders-*",
            .. Key(4, "slow", KeyScopes.Read), "--Security:Keys:4:RequestsPerSecond=0.5", "--Security:Keys:4:Burst=2",
        ];
        _server = await RunningServer.StartAsync(_directory.Pile, services => services.AddSingleton<TimeProvider>(_time), settings);
        using HttpResponseMessage put = await SendAsync(HttpMethod.Put, Entry, "writer");
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Theory]
    [InlineData("GET", Entry, "reader", 200)]
    [InlineData("GET", Entry, "writer", 403)]
    [InlineData("PUT", Entry, "reader", 403)]
    [InlineData("PUT", Entry, "writer", 204)]
    [InlineData("GET", Entry, "orders", 200)]
    [InlineData("GET", "/v1/tables/others/entries/k", "orders", 403)]
    [InlineData("PUT", "/v1/tables/others/entries/k", "orders", 403)]
    [InlineData("GET", "/v1/tables", "reader", 200)]
    [InlineData("GET", "/v1/tables", "orders", 200)]
    [InlineData("GET", "/v1/stats", "orders", 403)]
    [InlineData("GET", "/v1/tables/orders-1", "orders", 200)]
    [InlineData("DELETE", "/v1/tables/orders-1", "writer", 403)]
    [InlineData("POST", "/v1/admin:flush", "writer", 403)]
    [InlineData("POST", "/V1/ADMIN:FLUSH", "reader", 403)]
    [InlineData("GET", "/metrics", "reader", 200)]
    [InlineData("GET", "/metrics", "orders", 403)]
    public async Task A_key_opens_what_its_scopes_and_tables_say(string method, string path, string key, int status)
    {
        using HttpResponseMessage response = await SendAsync(new HttpMethod(method), path, key);
        Assert.Equal(status, (int)response.StatusCode);
    }

    [Theory]
    [InlineData("GET", Entry)]
    [InlineData("PUT", Entry)]
    [InlineData("GET", "/v1/stats")]
    [InlineData("GET", "/metrics")]
    [InlineData("POST", "/v1/admin:flush")]
    [InlineData("GET", "/nowhere")]
    public async Task Without_a_key_nothing_is_answered_but_the_challenge(string method, string path)
    {
        using HttpResponseMessage without = await SendAsync(new HttpMethod(method), path, null);
        await ServerTest.ProblemAsync(without, HttpStatusCode.Unauthorized, "credentials_missing");
        Assert.Equal("Bearer realm=\"BigPile\"", without.Headers.WwwAuthenticate.ToString());
        foreach (string wrong in new[] { "reader.wrong", "nobody." + _credentials["reader"][7..], "x", "reader.", new string('x', 600) })
        {
            using HttpResponseMessage response = await SendRawKeyAsync(new HttpMethod(method), path, "Bearer " + wrong);
            await ServerTest.ProblemAsync(response, HttpStatusCode.Unauthorized, "credentials_invalid");
            Assert.Contains("invalid_token", response.Headers.WwwAuthenticate.ToString(), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("/health/live")]
    [InlineData("/health/ready")]
    [InlineData("/health/startup")]
    public async Task Probes_need_no_key(string path)
    {
        using HttpResponseMessage response = await SendAsync(HttpMethod.Get, path, null);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task Metrics_need_no_key_where_the_settings_say_so()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile + "-open",
            [.. Key(0, "reader", KeyScopes.Read), "--Metrics:AllowWithoutKeys=true", "--Metrics:Path=/figures"]);
        Assert.Contains("bigpile", await server.Client.GetStringAsync("/figures"), StringComparison.Ordinal);
        foreach (string request in new[] { "POST /figures", "GET /figures/more", "GET /metrics", "GET /v1/stats",
            "GET /figures/../v1/stats" })
        {
            string[] parts = request.Split(' ');
            using HttpResponseMessage answer = await server.SendAsync(parts[0], parts[1], null);
            Assert.Equal((request, HttpStatusCode.Unauthorized), (request, answer.StatusCode));
        }
    }

    [Fact]
    public async Task The_fast_door_asks_for_the_key_itself_and_leaves_refusals_to_the_stack()
    {
        FastPathCounters counters = _server.Service<FastPathCounters>();
        (long found, long handedOver) = (counters.Found, counters.HandedOver);
        Assert.Equal(HttpStatusCode.OK, (await SendAsync(HttpMethod.Get, Entry, "reader")).StatusCode);
        Assert.Equal((found + 1, handedOver), (counters.Found, counters.HandedOver));
        Assert.Equal(HttpStatusCode.Forbidden, (await SendAsync(HttpMethod.Get, Entry, "writer")).StatusCode);
        Assert.Equal(HttpStatusCode.Unauthorized, (await SendAsync(HttpMethod.Get, Entry, null)).StatusCode);
        Assert.Equal((found + 1, handedOver + 2), (counters.Found, counters.HandedOver));
    }

    [Fact]
    public async Task The_key_may_come_in_a_header_of_its_own()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, Entry);
        request.Headers.Add("X-Api-Key", _credentials["reader"]);
        using HttpResponseMessage response = await _server.Client.SendAsync(request);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task Who_asks_too_often_is_told_when_to_come_back()
    {
        for (int i = 0; i < 2; i++)
            Assert.Equal(HttpStatusCode.OK, (await SendAsync(HttpMethod.Get, Entry, "slow")).StatusCode);
        using HttpResponseMessage refused = await SendAsync(HttpMethod.Get, Entry, "slow");
        JsonElement problem = await ServerTest.ProblemAsync(refused, HttpStatusCode.TooManyRequests, "rate_limited");
        Assert.Equal("2", refused.Headers.RetryAfter?.ToString());
        Assert.Equal(2_000, problem.GetProperty("retryAfterMs").GetInt64());
        Assert.Equal(HttpStatusCode.OK, (await SendAsync(HttpMethod.Get, Entry, "reader")).StatusCode);
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(HttpStatusCode.OK, (await SendAsync(HttpMethod.Get, Entry, "slow")).StatusCode);
    }

    [Fact]
    public async Task A_refusal_names_the_key_and_what_it_lacks_and_no_secret()
    {
        using HttpResponseMessage response = await SendAsync(HttpMethod.Put, Entry, "reader");
        JsonElement problem = await ServerTest.ProblemAsync(response, HttpStatusCode.Forbidden, "scope_missing");
        Assert.Equal(
            "The request needs the scope 'write', which the key 'reader' does not have.", problem.GetProperty("detail").GetString());
        Assert.DoesNotContain(_credentials["reader"][7..], problem.ToString(), StringComparison.Ordinal);
    }

    private string[] Key(int index, string name, KeyScopes scopes)
    {
        BigPileKey key = BigPileKey.Create(name, scopes, out string credential);
        _credentials[name] = credential;
        string at = $"--Security:Keys:{index}:";
        return
        [
            $"{at}Name={name}", $"{at}Hash={key.Hash}",
            .. scopes.ToString().ToLowerInvariant().Split(", ").Select((scope, place) => $"{at}Scopes:{place}={scope}"),
        ];
    }

    private Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, string? key) =>
        SendRawKeyAsync(method, path, key == null ? null : "Bearer " + _credentials[key]);

    private Task<HttpResponseMessage> SendRawKeyAsync(HttpMethod method, string path, string? authorization)
    {
        var request = new HttpRequestMessage(method, path);
        if (authorization != null)
            request.Headers.TryAddWithoutValidation("Authorization", authorization);
        return _server.Client.SendAsync(request);
    }
}
