using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Api;

public sealed class TableTests : ServerTest
{
    [Fact]
    public async Task A_table_is_made_altered_and_dropped_and_stays_so_after_a_restart()
    {
        HttpResponseMessage made = await PutAsync("a", "{\"collisionMode\":\"speculative\",\"maximumEntries\":1000,\"defaultTtl\":\"1h\"}");
        Assert.Equal((HttpStatusCode.Created, "/v1/tables/a"), (made.StatusCode, made.Headers.Location?.OriginalString));
        HttpResponseMessage altered = await PutAsync(
            "a", "{\"maximumBytes\":4194304,\"defaultPriority\":\"high\",\"feedBytes\":1048576,\"feedsValues\":true}");
        Assert.Equal(HttpStatusCode.OK, altered.StatusCode);
        await Server.PutAsync("/v1/tables/a/entries/k", [1]);
        await PutAsync("b", "");
        await Server.PutAsync("/v1/tables/b/entries/k", [1]);
        Assert.Equal(HttpStatusCode.NoContent, (await Client.DeleteAsync("/v1/tables/b")).StatusCode);
        await CheckAsync(Server);

        await Server.StopAsync();
        await using RunningServer again = await RunningServer.StartAsync(Files.Pile);
        await CheckAsync(again);
        // Made again under its old name, it is empty, and behaves as it is told now.
        (await again.PutAsync("/v1/tables/b/entries/new", [2])).EnsureSuccessStatusCode();
        Assert.Equal(["new"], again.Service<PileCache>().GetOrCreateTable<string, byte[]>("b").Keys);
        Assert.Equal(["a", "b"], await NamesAsync(again));
    }

    private static async Task CheckAsync(RunningServer server)
    {
        JsonElement table = JsonDocument.Parse(await server.Client.GetByteArrayAsync("/v1/tables/a")).RootElement;
        Assert.Equal(1, table.GetProperty("entries").GetInt32());
        JsonElement options = table.GetProperty("options");
        Assert.Equal("durable", options.GetProperty("collisionMode").GetString());
        Assert.Equal(4 << 20, options.GetProperty("maximumBytes").GetInt32());
        Assert.Equal("high", options.GetProperty("defaultPriority").GetString());
        Assert.Equal((1 << 20, true), (options.GetProperty("feedBytes").GetInt32(), options.GetProperty("feedsValues").GetBoolean()));
        Assert.InRange(table.GetProperty("feedBytes").GetInt32(), 1, 1 << 20);
        Assert.Equal(0, table.GetProperty("feedReaders").GetInt32());
        Assert.Equal(0, table.GetProperty("feedLagSeconds").GetDouble());
        Assert.True(table.GetProperty("feedWindowSeconds").GetDouble() >= 0);
        Assert.False(options.TryGetProperty("maximumEntries", out _));
        Assert.False(options.TryGetProperty("defaultTtl", out _));
        Assert.Equal(["a"], await NamesAsync(server));
        await ProblemAsync(await server.Client.GetAsync("/v1/tables/b"), HttpStatusCode.NotFound, "table_not_found");
        await ProblemAsync(await server.Client.GetAsync("/v1/tables/b/entries/k"), HttpStatusCode.NotFound, "table_not_found");
        await ProblemAsync(await server.Client.DeleteAsync("/v1/tables/b"), HttpStatusCode.NotFound, "table_not_found");
    }

    [Theory]
    [InlineData("rubbish", "document_invalid")]
    [InlineData("{\"maxEntries\":5}", "document_invalid")]
    [InlineData("{\"maximumEntries\":\"5\"}", "document_invalid")]
    [InlineData("{\"maximumEntries\":0}", "table_options_invalid")]
    [InlineData("{\"maximumBytes\":5}", "table_options_invalid")]
    [InlineData("{\"collisionMode\":\"lossy\"}", "table_options_invalid")]
    [InlineData("{\"defaultTtl\":\"soon\"}", "table_options_invalid")]
    [InlineData("{\"defaultPriority\":\"top\"}", "table_options_invalid")]
    [InlineData("{\"fixedIndex\":true}", "table_options_invalid")]
    [InlineData("{\"feedBytes\":1000}", "table_options_invalid")]
    [InlineData("{\"feedsValues\":true}", "table_options_invalid")]
    public async Task Options_that_can_not_be_are_refused_and_no_table_is_made(string body, string code)
    {
        await ProblemAsync(await PutAsync("t", body), HttpStatusCode.BadRequest, code);
        Assert.Empty(await NamesAsync(Server));
    }

    [Theory]
    [InlineData("{\"isDropped\":true}", "There is no member 'isDropped'.")]
    [InlineData("{\"isDropped\":false}", "There is no member 'isDropped'.")]
    [InlineData("{\"maxEntries\":5}", "There is no member 'maxEntries'.")]
    [InlineData("{\"maximumEntries\":\"5\"}", "The member 'maximumEntries' has a value of another type.")]
    [InlineData("{\"statistics\":1}", "The member 'statistics' has a value of another type.")]
    [InlineData("{\"maximumBytes\":5}", "maximumBytes of the table 't' is 5; it must be at least 1,048,576.")]
    [InlineData("{\"maximumEntries\":0}", "maximumEntries of the table 't' is 0; it must be at least 1.")]
    [InlineData(
        "{\"maximumBytes\":2097152,\"feedBytes\":2000000}",
        "feedBytes of the table 't' is 2000000; it must be from 262,144 to 1,073,741,824, and at most half of ")]
    [InlineData("{\"defaultTtl\":\"0s\"}", "defaultTtl")]
    [InlineData("{\"defaultSliding\":\"0s\"}", "defaultSliding")]
    [InlineData(
        "{\"fixedIndex\":true}", "fixedIndex of the table 't' is True; it must be false in a durable table, whose index must grow.")]
    [InlineData("{\"maximumEntries\":x}", "'x' is an invalid start of a value.")]
    [InlineData("[]", "It must be an object.")]
    public async Task What_is_wrong_is_said_in_the_words_of_the_document(string body, string expected)
    {
        HttpResponseMessage answer = await PutAsync("t", body);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        string detail = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync()).RootElement.GetProperty("detail").GetString()!;
        Assert.StartsWith(expected, detail, StringComparison.Ordinal);
        foreach (string leaked in new[] { "TableOptions", "Parameter", "BigPile.", "System.", ".NET", "DefaultMaxAge" })
            Assert.DoesNotContain(leaked, detail, StringComparison.Ordinal);
        Assert.Empty(await NamesAsync(Server));
    }

    [Fact]
    public async Task What_can_not_be_altered_is_said_in_the_words_of_the_document()
    {
        (await PutAsync("s", "{\"collisionMode\":\"speculative\"}")).EnsureSuccessStatusCode();
        JsonElement problem = await ProblemAsync(
            await PutAsync("s", "{\"collisionMode\":\"speculative\",\"fixedIndex\":true}"), HttpStatusCode.BadRequest,
            "table_options_invalid");
        Assert.Equal("fixedIndex of the table 's' can't be changed while the table lives.", problem.GetProperty("detail").GetString());
    }

    [Fact]
    public async Task A_table_with_other_keys_is_named()
    {
        Server.Service<PileCache>().GetOrCreateTable<long, string>("numbers");
        await ProblemAsync(await PutAsync("numbers", "{}"), HttpStatusCode.Conflict, "table_key_type");
        await ProblemAsync(await Client.DeleteAsync("/v1/tables/numbers"), HttpStatusCode.Conflict, "table_key_type");
        await ProblemAsync(await Client.GetAsync("/v1/tables/numbers/keys"), HttpStatusCode.Conflict, "table_key_type");
        await ProblemAsync(await PutAsync("a%20b", "{}"), HttpStatusCode.BadRequest, "table_name_invalid");
    }

    [Fact]
    public async Task A_put_that_is_refused_says_so()
    {
        (await PutAsync("s", "{\"collisionMode\":\"speculative\",\"maximumEntries\":10}")).EnsureSuccessStatusCode();
        (await PutAsync("d", "{\"maximumEntries\":10}")).EnsureSuccessStatusCode();
        foreach ((string table, HttpStatusCode status, string code) in new[]
        {
            ("s", HttpStatusCode.Conflict, "entry_refused"), ("d", HttpStatusCode.InsufficientStorage, "table_full"),
        })
        {
            for (int i = 0; i < 10; i++)
                (await Server.SendAsync("PUT", $"/v1/tables/{table}/entries/{i}", [1], ("BigPile-Priority", "never-evict")))
                    .EnsureSuccessStatusCode();
            await ProblemAsync(await Server.SendAsync("PUT", $"/v1/tables/{table}/entries/more", [1]), status, code);
            await ProblemAsync(await Server.SendAsync("POST", $"/v1/tables/{table}/entries/more", [1]), status, code);
            Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync($"/v1/tables/{table}/entries/more")).StatusCode);
            HttpResponseMessage batch =
                await Server.SendAsync("POST", $"/v1/tables/{table}:mset", "{\"items\":[{\"key\":\"more\"}]}"u8.ToArray());
            Assert.Contains($"\"code\":\"{code}\"", await batch.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Keys_come_page_by_page_each_once()
    {
        CacheTable<string, byte[]> table = Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");
        for (int i = 0; i < 5_000; i++)
            table.Put((i % 2 == 0 ? "even/" : "odd/ü") + i, [1]);
        foreach ((string query, string prefix) in new[] { ("limit=7", ""), ("limit=1000", ""), ("limit=333&prefix=odd%2F%C3%BC", "odd/ü"),
            ("prefix=none", "none") })
        {
            string[] expected =
                [.. table.Keys.Where(key => key.StartsWith(prefix, StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
            Assert.Equal(expected, (await WalkAsync(query)).Order(StringComparer.Ordinal));
        }
        HttpResponseMessage lines = await Server.SendAsync("GET", "/v1/tables/t/keys?limit=3", null, ("Accept", "application/x-ndjson"));
        string[] parts = (await lines.Content.ReadAsStringAsync()).TrimEnd('\n').Split('\n');
        Assert.Equal(4, parts.Length);
        Assert.All(parts[..3], static line => Assert.StartsWith("{\"key\":\"", line, StringComparison.Ordinal));
        Assert.StartsWith("{\"cursor\":\"", parts[3], StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_key_that_stays_comes_though_the_table_grows_during_the_walk()
    {
        CacheTable<string, byte[]> table = Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");
        for (int i = 0; i < 500; i++)
            table.Put($"stays/{i}", [1]);
        int added = 0;
        List<string> keys = await WalkAsync("limit=20", () =>
        {
            for (int i = 0; i < 500 && added < 5_000; i++)
                table.Put($"new/{added++}", [1]);
        });
        Assert.Equal(5_500, table.Count);
        Assert.Equal(500, keys.Where(static key => key.StartsWith("stays/", StringComparison.Ordinal)).Distinct().Count());
        Assert.Equal(keys.Count, keys.Distinct().Count());
    }

    [Theory]
    [InlineData("limit=0", "query_invalid")]
    [InlineData("limit=10001", "query_invalid")]
    [InlineData("limit=x", "query_invalid")]
    [InlineData("prefix=a&prefix=b", "query_invalid")]
    [InlineData("prefix=%FF", "query_invalid")]
    [InlineData("prefix=%ED%A0%80", "query_invalid")]
    [InlineData("cursor=x", "cursor_invalid")]
    [InlineData("cursor=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "cursor_invalid")]
    public async Task A_page_that_can_not_be_is_refused(string query, string code)
    {
        await PutAsync("t", "{}");
        await ProblemAsync(await Client.GetAsync("/v1/tables/t/keys?" + query), HttpStatusCode.BadRequest, code);
    }

    [Theory]
    [InlineData("prefix=a%2Bb+c%20%C3%A4", "a+b c ä/1")]
    [InlineData("x=1&prefix=z", "z")]
    public async Task A_prefix_is_decoded_once(string query, string key)
    {
        await PutAsync("t", "{}");
        CacheTable<string, byte[]> table = Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");
        foreach (string put in new[] { key, "other" })
            table.Put(put, [1]);
        JsonElement found = (await GetJsonAsync("/v1/tables/t/keys?" + query)).GetProperty("keys");
        Assert.Equal([key], found.EnumerateArray().Select(static one => one.GetString()));
    }

    [Theory]
    [InlineData("POST")]
    [InlineData("PATCH")]
    [InlineData("OPTIONS")]
    [InlineData("FOO")]
    public async Task Other_methods_of_a_table_are_refused(string method)
    {
        string answer = await Server.SendRawAsync(method + " /v1/tables/t", "Content-Length: 0");
        Assert.StartsWith("HTTP/1.1 405 ", answer, StringComparison.Ordinal);
        Assert.Contains("Allow: GET, HEAD, PUT, DELETE\r\n", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{\"initialEntries\":100001}")]
    [InlineData("{\"initialEntries\":68719476736}")]
    public async Task An_index_is_made_for_no_more_than_the_limit(string options)
    {
        JsonElement problem = await ProblemAsync(
            await Server.SendAsync("PUT", "/v1/tables/t", Encoding.UTF8.GetBytes(options)), HttpStatusCode.BadRequest,
            "table_options_invalid");
        Assert.Contains("Limits:InitialEntries", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync("/v1/tables/t")).StatusCode);
        (await Server.SendAsync("PUT", "/v1/tables/t", "{\"initialEntries\":100000}"u8.ToArray())).EnsureSuccessStatusCode();
    }

    [Theory]
    [InlineData("maximumBytes", long.MaxValue)]
    [InlineData("maximumBytes", 1L << 40)]
    [InlineData("maximumEntries", long.MaxValue)]
    public async Task A_high_limit_costs_nothing(string limit, long most)
    {
        await PutAsync("t", $"{{\"{limit}\":{most}}}");
        for (int i = 0; i < 100; i++)
            (await Server.PutAsync($"/v1/tables/t/entries/{i}", [1])).EnsureSuccessStatusCode();
        JsonElement report = await GetJsonAsync("/v1/tables/t");
        Assert.InRange(report.GetProperty("indexBytes").GetInt64(), 1, 100_000);
    }

    [Fact]
    public async Task A_cursor_is_good_for_one_table()
    {
        foreach (string name in new[] { "t", "u" })
        {
            for (int i = 0; i < 20; i++)
                await Server.PutAsync($"/v1/tables/{name}/entries/{i}", [1]);
        }
        string cursor = (await GetJsonAsync("/v1/tables/t/keys?limit=1")).GetProperty("cursor").GetString()!;
        await ProblemAsync(await Client.GetAsync("/v1/tables/u/keys?cursor=" + cursor), HttpStatusCode.BadRequest, "cursor_invalid");
    }

    private async Task<List<string>> WalkAsync(string query, Action? between = null)
    {
        var keys = new List<string>();
        string cursor = "";
        for (int pages = 0; pages < 10_000; pages++)
        {
            JsonElement page = await GetJsonAsync($"/v1/tables/t/keys?{query}&cursor={cursor}");
            keys.AddRange(page.GetProperty("keys").EnumerateArray().Select(static key => key.GetString()!));
            if (!page.TryGetProperty("cursor", out JsonElement next))
                return keys;
            cursor = next.GetString()!;
            between?.Invoke();
        }
        throw new InvalidOperationException("The walk does not end.");
    }

    private static async Task<IEnumerable<string>> NamesAsync(RunningServer server) =>
        JsonDocument.Parse(await server.Client.GetByteArrayAsync("/v1/tables")).RootElement.GetProperty("tables").EnumerateArray()
            .Select(static table => table.GetProperty("name").GetString()!);

    private Task<HttpResponseMessage> PutAsync(string name, string body) =>
        Server.SendAsync("PUT", "/v1/tables/" + name, Encoding.UTF8.GetBytes(body), ("Content-Type", "application/json"));
}
