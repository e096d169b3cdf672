using System;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using BigPile.Server.Tests.Attacks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Security;

/// <summary>Without keys a browser is no client by accident.</summary>
public sealed class BrowserTests : IDisposable
{
    private static readonly string[] Routes =
    [
        "PUT /v1/tables/t/entries/new", "POST /v1/tables/t/entries/new", "DELETE /v1/tables/t/entries/kept",
            "POST /v1/tables/t/entries/kept:touch",
        "POST /v1/tables/t:mset", "POST /v1/tables/t:mdelete", "POST /v1/tables/t:evict", "POST /v1/tables/t:load", "PUT /v1/tables/t2",
        "DELETE /v1/tables/t", "POST /v1/admin:purge", "DELETE /v1/operations/none",
    ];

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("Origin: http://evil.example")]
    [InlineData("Origin: null")]
    [InlineData("Origin: http://localhost:1")]
    [InlineData("Origin: x://{0}")]
    [InlineData("Origin: ws://{0}")]
    [InlineData("Origin: ://{0}")]
    [InlineData("Origin: http://http://{0}")]
    [InlineData("Origin: http://{0}", "Origin: http://evil.example")]
    [InlineData("Sec-Fetch-Site: cross-site")]
    [InlineData("Sec-Fetch-Site: same-site")]
    [InlineData("Sec-Fetch-Site: cross-site", "Origin: http://{0}")]
    public async Task A_page_of_another_origin_changes_nothing(params string[] headers)
    {
        await using RunningServer server = await StartAsync();
        foreach (string route in Routes)
        {
            string answer = await SendAsync(server, route, server.Address.Authority, headers);
            Assert.Equal((route, "403", "origin_forbidden"), (route, AttackCase.StatusesOf(answer), AttackCase.CodeOf(answer)));
        }
        Assert.Equal("kept", await server.Client.GetStringAsync("/v1/tables/t/entries/kept"));
        Assert.Equal(HttpStatusCode.NotFound, (await server.Client.GetAsync("/v1/tables/t/entries/new")).StatusCode);
    }

    [Theory]
    [InlineData("Origin: http://{0}")]
    [InlineData("Origin: HTTPS://{0}")] // something in front encrypts
    [InlineData("Sec-Fetch-Site: same-origin", "Origin: http://{0}")]
    [InlineData("Sec-Fetch-Site: none")]
    [InlineData("User-Agent: curl")]
    public async Task The_own_page_and_who_is_no_browser_do(params string[] headers)
    {
        await using RunningServer server = await StartAsync();
        Assert.Equal("201", AttackCase.StatusesOf(await SendAsync(server, Routes[0], server.Address.Authority, headers)));
    }

    [Theory]
    [InlineData("evil.example", false)]
    [InlineData("evil.example:80", false)]
    [InlineData("127.0.0.1.evil.example", false)]
    [InlineData("localhost.evil.example", false)]
    [InlineData("10.1.2.3", false)]
    [InlineData("[::2]", false)]
    [InlineData("localhost", true)]
    [InlineData("LOCALHOST.:1", true)]
    [InlineData("app.localhost", true)]
    [InlineData("127.9.9.9:5", true)]
    [InlineData("[::1]:5", true)]
    [InlineData("", true)]
    public async Task Only_loopback_hosts_are_served_at_both_doors(string host, bool isServed)
    {
        await using RunningServer server = await StartAsync();
        FastPathCounters counters = server.Service<FastPathCounters>();
        long before = counters.Answered;
        foreach (string[] more in new string[][] { [], ["X-Unknown: the full stack"] })
        {
            foreach (string route in new[] { "GET /v1/tables/t/entries/kept", "HEAD /v1/tables/t/entries/kept",
                "GET /v1/tables/t/entries/none", "GET /v1/tables" })
            {
                string answer = await SendAsync(server, route, host, more);
                bool isRefused = AttackCase.StatusesOf(answer) == "421";
                Assert.Equal((host, route, !isServed), (host, route, isRefused));
            }
        }
        if (!isServed)
            Assert.Equal(before, counters.Answered);
        else if (host.Length != 0 && host[0] != '[')
            Assert.Equal(before + 3, counters.Answered);
    }

    [Fact]
    public async Task Hosts_and_origins_can_be_named()
    {
        await using RunningServer server =
            await StartAsync("--Security:Hosts=cache.example,other", "--Security:Origins=https://page.example");
        Assert.Equal("200", AttackCase.StatusesOf(await SendAsync(server, "GET /v1/tables/t/entries/kept", "cache.example:99")));
        Assert.Equal("421", AttackCase.StatusesOf(await SendAsync(server, "GET /v1/tables/t/entries/kept", "page.example")));
        Assert.Equal("201", AttackCase.StatusesOf(
            await SendAsync(server, Routes[0], "other", "Origin: https://page.example", "Sec-Fetch-Site: cross-site")));
        Assert.Equal("403", AttackCase.StatusesOf(await SendAsync(server, Routes[0], "other", "Origin: http://page.example")));
    }

    [Theory]
    [InlineData("--Security:Hosts=*", "--Security:Origins=*")]
    [InlineData("--Security:AllowWithoutKeys=true", "--Security:Origins=*")]
    public async Task Any_host_and_any_page_can_be_let_in(params string[] settings)
    {
        await using RunningServer server = await StartAsync(settings);
        Assert.Equal("201", AttackCase.StatusesOf(await SendAsync(server, Routes[0], "evil.example", "Origin: null")));
    }

    [Theory]
    [InlineData("PUT /v1/tables/t/entries/new", true)]
    [InlineData("GET /v1/tables/t/entries/kept", true)]
    [InlineData("DELETE /v1/tables/t", false)]
    [InlineData("POST /v1/tables/t:mset", false)]
    [InlineData("GET /v1/stats", false)]
    public async Task A_page_of_a_named_origin_may_ask_and_is_told_so_with_keys_and_without(string route, bool isEntry)
    {
        KeySettings keys = new KeySettings().With("app", KeyScopes.Read | KeyScopes.Write);
        foreach (string[] settings in new string[][] { [], keys.Arguments })
        {
            await using RunningServer server = await RunningServer.StartAsync(
                _directory.Pile, [.. settings, "--Security:Origins=https://page.example,https://other.example"]);
            string[] path = route.Split(' ');
            string asked = await SendAsync(
                server, "OPTIONS " + path[1], server.Address.Authority, "Origin: https://page.example",
                "Access-Control-Request-Method: " + path[0], "Access-Control-Request-Headers: authorization,bigpile-ttl");
            Assert.Equal("204", AttackCase.StatusesOf(asked));
            AssertHas(asked, "Access-Control-Allow-Origin: https://page.example", "Vary: Origin", "Access-Control-Max-Age: 600");
            AssertHas(asked, "Access-Control-Allow-Methods: " + path[0], "Access-Control-Allow-Headers: authorization,bigpile-ttl");
            foreach (string origin in new[] { "https://page.example", "https://evil.example" })
            {
                string answer = await SendAsync(server, route, server.Address.Authority, "Origin: " + origin);
                Assert.Equal(
                    origin == "https://page.example",
                    answer.Contains("Access-Control-Allow-Origin: " + origin, StringComparison.Ordinal));
                Assert.Equal(
                    origin == "https://page.example", answer.Contains("Access-Control-Expose-Headers: *", StringComparison.Ordinal));
                AssertHas(answer, "Vary: Origin");
                Assert.DoesNotContain("Access-Control-Allow-Credentials", answer, StringComparison.Ordinal);
            }
            // A response cached for a client without Origin must not be served to a page.
            string own = await SendAsync(server, route, server.Address.Authority);
            AssertHas(own, "Vary: Origin");
            Assert.True(isEntry || !own.Contains("Vary: Origin, ", StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task A_page_of_no_named_origin_is_told_nothing()
    {
        await using RunningServer server = await StartAsync();
        string asked = await SendAsync(
            server, "OPTIONS /v1/tables/t/entries/new", server.Address.Authority, "Origin: https://page.example",
            "Access-Control-Request-Method: PUT");
        Assert.Equal("405", AttackCase.StatusesOf(asked));
        string read = await SendAsync(server, "GET /v1/tables/t/entries/kept", server.Address.Authority, "Origin: https://page.example");
        Assert.DoesNotContain("Access-Control", asked + read, StringComparison.Ordinal);
        Assert.DoesNotContain("Vary", read, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Any_page_is_told_that_all_may()
    {
        await using RunningServer server = await StartAsync("--Security:Origins=*");
        string read = await SendAsync(server, "GET /v1/tables/t/entries/kept", server.Address.Authority, "Origin: https://page.example");
        AssertHas(read, "Access-Control-Allow-Origin: https://page.example", "Vary: Origin");
        // Nor may a cache give it to a page as it was given to somebody without one.
        AssertHas(await SendAsync(server, "GET /v1/tables/t/entries/kept", server.Address.Authority), "Vary: Origin");
    }

    private static void AssertHas(string answer, params string[] lines)
    {
        foreach (string line in lines)
            Assert.True(answer.Contains(line + "\r\n", StringComparison.OrdinalIgnoreCase), $"There is no '{line}' in\n{answer}");
    }

    private async Task<RunningServer> StartAsync(params string[] settings)
    {
        RunningServer server = await RunningServer.StartAsync(_directory.Pile, settings);
        (await server.PutAsync("/v1/tables/t/entries/kept", "kept"u8.ToArray())).EnsureSuccessStatusCode();
        return server;
    }

    private static async Task<string> SendAsync(RunningServer server, string route, string host, params string[] headers)
    {
        string lines = string.Concat(headers.Select(
            line => string.Format(System.Globalization.CultureInfo.InvariantCulture, line, server.Address.Authority) + "\r\n"));
        string body = route[0] is 'P' ? "Content-Length: 2\r\n\r\n{}" : "\r\n";
        using RawConnection connection = await RawConnection.OpenAsync(server.Address.Port);
        await connection.SendAsync($"{route} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{lines}{body}");
        return await connection.ReadToEndAsync();
    }
}
