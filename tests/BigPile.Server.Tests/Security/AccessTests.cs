using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Security;

/// <summary>What a key is told of itself, and of the tables that it reaches.</summary>
public sealed class AccessTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_key_is_told_what_it_may_do_whatever_that_is()
    {
        KeySettings keys = new KeySettings().With("all", KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin)
            .With("orders", KeyScopes.Write, "orders-*", "stock");
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile, keys.Arguments);
        Assert.Equal("all read,write,admin * True True", await AccessAsync(server, keys["all"]));
        Assert.Equal("orders write orders-*,stock False True", await AccessAsync(server, keys["orders"]));
        using HttpResponseMessage without = await server.Client.GetAsync("/v1/access");
        await ServerTest.ProblemAsync(without, HttpStatusCode.Unauthorized, "credentials_missing");
        using HttpResponseMessage wrong = await SendAsync(server, "GET", "/v1/access", "all.wrong");
        await ServerTest.ProblemAsync(wrong, HttpStatusCode.Unauthorized, "credentials_invalid");
        using HttpResponseMessage change = await SendAsync(server, "POST", "/v1/access", keys["orders"]);
        await ServerTest.ProblemAsync(change, HttpStatusCode.Forbidden, "scope_missing");
    }

    [Fact]
    public async Task Where_nobody_is_asked_for_a_key_everything_may_be_done()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        Assert.Equal("- read,write,admin * True True", await AccessAsync(server, null));
    }

    [Fact]
    public async Task Administration_is_where_it_is_answered()
    {
        KeySettings keys = new KeySettings().With("all", KeyScopes.Read | KeyScopes.Admin);
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, [.. keys.Arguments, $"--Security:AdminUrl=http://127.0.0.1:{FreePort.Take()}"]);
        Assert.Equal("all read,admin * True False", await AccessAsync(server, keys["all"]));
        Assert.Equal("all read,admin * True True", await AccessAsync(server, keys["all"], server.Addresses[1]));
    }

    [Fact]
    public async Task A_key_of_some_tables_is_shown_these_and_no_others()
    {
        KeySettings keys = new KeySettings().With("all", KeyScopes.Read | KeyScopes.Write).With("orders", KeyScopes.Read, "orders-*")
            .With("none", KeyScopes.Read, "other").With("blind", KeyScopes.Write);
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile, keys.Arguments);
        foreach (string table in new[] { "secret", "orders-2", "orders-1" })
            (await SendAsync(server, "PUT", $"/v1/tables/{table}/entries/k", keys["all"])).EnsureSuccessStatusCode();
        foreach (string path in new[] { "/v1/tables", "/V1/Tables" })
        {
            Assert.Equal(["orders-1", "orders-2", "secret"], await TablesAsync(server, path, keys["all"]));
            Assert.Equal(["orders-1", "orders-2"], await TablesAsync(server, path, keys["orders"]));
            Assert.Empty(await TablesAsync(server, path, keys["none"]));
        }
        using HttpResponseMessage blind = await SendAsync(server, "GET", "/v1/tables", keys["blind"]);
        await ServerTest.ProblemAsync(blind, HttpStatusCode.Forbidden, "scope_missing");
        // Everything else that is about more than its own tables stays closed.
        foreach (string path in new[] { "/v1/stats", "/v1/memory", "/metrics", "/v1/tables/secret", "/v1/tables/secret/keys",
            "/v1/tables/" })
            Assert.Equal(HttpStatusCode.Forbidden, (await SendAsync(server, "GET", path, keys["orders"])).StatusCode);
    }

    [Theory]
    [InlineData("PUT", "/v1/tables/t/entries/k")]
    [InlineData("DELETE", "/v1/tables/t/entries/k")]
    [InlineData("POST", "/v1/tables/t/entries/k:touch")]
    [InlineData("POST", "/v1/tables/t:evict")]
    [InlineData("POST", "/v1/admin:flush")]
    [InlineData("POST", "/v1/admin:compact")]
    [InlineData("POST", "/v1/admin:verify")]
    [InlineData("DELETE", "/v1/tables/t")]
    [InlineData("DELETE", "/v1/operations/1")]
    public async Task What_the_page_offers_others_is_refused_to_a_key_for_reading(string method, string path)
    {
        KeySettings keys = new KeySettings().With("reader", KeyScopes.Read);
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile, keys.Arguments);
        using HttpResponseMessage refused = await SendAsync(server, method, path, keys["reader"]);
        await ServerTest.ProblemAsync(refused, HttpStatusCode.Forbidden, "scope_missing");
    }

    private static async Task<string> AccessAsync(RunningServer server, string? credential, Uri? address = null)
    {
        using HttpResponseMessage response =
            await SendAsync(server, "GET", new Uri(address ?? server.Address, "/v1/access").ToString(), credential);
        response.EnsureSuccessStatusCode();
        JsonElement access = JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync()).RootElement;
        string Texts(string name) => string.Join(',', access.GetProperty(name).EnumerateArray().Select(static text => text.GetString()));
        string key = access.TryGetProperty("key", out JsonElement name) ? name.GetString()! : "-";
        return $"{key} {Texts("scopes")} {Texts("tables")} {access.GetProperty("allTables").GetBoolean()} "
            + $"{access.GetProperty("administration").GetBoolean()}";
    }

    private static async Task<string[]> TablesAsync(RunningServer server, string path, string credential)
    {
        using HttpResponseMessage response = await SendAsync(server, "GET", path, credential);
        response.EnsureSuccessStatusCode();
        JsonElement list = JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync()).RootElement;
        return [.. list.GetProperty("tables").EnumerateArray().Select(static table => table.GetProperty("name").GetString()!)];
    }

    private static Task<HttpResponseMessage> SendAsync(RunningServer server, string method, string path, string? credential)
    {
        var request = new HttpRequestMessage(new HttpMethod(method), path) { Content = method == "PUT" ? new ByteArrayContent([1]) : null };
        if (credential != null)
            request.Headers.Add("Authorization", "Bearer " + credential);
        return server.Client.SendAsync(request);
    }
}
