using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests;

public sealed class ReportTests : ServerTest
{
    [Fact]
    public async Task Tables_are_listed_with_what_they_hold()
    {
        foreach (string entry in new[] { "b/entries/1", "b/entries/2", "a/entries/1" })
            (await Server.PutAsync("/v1/tables/" + entry, new byte[100])).EnsureSuccessStatusCode();
        JsonElement tables = (await GetJsonAsync("/v1/tables")).GetProperty("tables");
        Assert.Equal(["a", "b"], tables.EnumerateArray().Select(static table => table.GetProperty("name").GetString()));
        Assert.Equal([1, 2], tables.EnumerateArray().Select(static table => table.GetProperty("entries").GetInt32()));
        Assert.All(tables.EnumerateArray(), static table => Assert.True(table.GetProperty("bytes").GetInt64() > 100));
    }

    [Fact]
    public async Task A_table_says_what_it_did()
    {
        (await Server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        await Client.GetAsync("/v1/tables/t/entries/k");
        await Client.GetAsync("/v1/tables/t/entries/none");
        await Client.DeleteAsync("/v1/tables/t/entries/k");
        JsonElement table = await GetJsonAsync("/v1/tables/t");
        Assert.Equal(
            "t 0 0 1 1 1 1",
            string.Join(
                ' ', new[] { "name", "entries", "bytes", "hits", "misses", "puts", "removals" }.Select(name => table.GetProperty(name))));
        await ProblemAsync(await Client.GetAsync("/v1/tables/none"), HttpStatusCode.NotFound, "table_not_found");
        await ProblemAsync(await Client.GetAsync("/v1/tables/a%20b"), HttpStatusCode.BadRequest, "table_name_invalid");
    }

    [Fact]
    public async Task The_memory_of_the_pile_adds_up()
    {
        for (int i = 0; i < 200; i++)
            (await Server.PutAsync($"/v1/tables/t/entries/{i}", new byte[i * 37])).EnsureSuccessStatusCode();
        JsonElement stats = await GetJsonAsync("/v1/stats");
        JsonElement pile = stats.GetProperty("pile");
        Assert.Equal("mapped", pile.GetProperty("store").GetString());
        Assert.Equal(200, pile.GetProperty("objects").GetInt64());
        JsonElement memory = pile.GetProperty("memoryBytes");
        long Of(string name) => memory.GetProperty(name).GetInt64();
        Assert.Equal(Of("reserved"), Of("committed") + Of("unused"));
        Assert.Equal(Of("committed"), Of("payload") + Of("headers") + Of("slack") + Of("free") + Of("unexamined"));
        Assert.False(memory.TryGetProperty("limit", out _));
        Assert.Equal(200, stats.GetProperty("tables")[0].GetProperty("entries").GetInt64());
        Assert.Equal(Environment.ProcessId, stats.GetProperty("process").GetProperty("id").GetInt32());
        Assert.True(stats.GetProperty("process").GetProperty("workingSetBytes").GetInt64() > 0);
    }

    [Fact]
    public async Task The_map_of_the_memory_is_the_memory()
    {
        for (int i = 0; i < 200; i++)
            (await Server.PutAsync($"/v1/tables/t/entries/{i}", new byte[i * 500])).EnsureSuccessStatusCode();
        JsonElement report = await GetJsonAsync("/v1/memory");
        Assert.Equal(("mapped", 4 << 20), (report.GetProperty("store").GetString(), report.GetProperty("segmentBytes").GetInt32()));
        JsonElement memory = report.GetProperty("memoryBytes");
        JsonElement[] segments = [.. report.GetProperty("segments").EnumerateArray()];
        long Sum(string name) => segments.Sum(segment => segment.GetProperty(name).GetInt64());
        Assert.Equal(memory.GetProperty("reserved").GetInt64(), Sum("reserved"));
        Assert.Equal(Sum("reserved"), Sum("head") + Sum("taken") + Sum("free") + Sum("unexamined") + Sum("unused"));
        Assert.Equal(
            (memory.GetProperty("free").GetInt64(), memory.GetProperty("unused").GetInt64(), memory.GetProperty("unexamined").GetInt64()),
            (Sum("free"), Sum("unused"), Sum("unexamined")));
        Assert.Equal(memory.GetProperty("committed").GetInt64(), Sum("head") + Sum("taken") + Sum("free") + Sum("unexamined"));
        Assert.All(segments, static segment =>
            Assert.All(segment.GetProperty("cells").EnumerateArray(), static cell => Assert.InRange(cell.GetInt32(), -2, 100)));
        foreach (string equation in report.GetProperty("equations").EnumerateArray().Select(static text => text.GetString()!))
        {
            string[] sides = equation.Split(" = ");
            Assert.Equal(memory.GetProperty(sides[0]).GetInt64(), sides[1].Split(" + ").Sum(part => memory.GetProperty(part).GetInt64()));
        }
        Assert.All(
            memory.EnumerateObject(), part => Assert.NotEqual("", report.GetProperty("explained").GetProperty(part.Name).GetString()));
    }

    [Fact]
    public async Task Statistics_have_rates_and_latency_from_the_second_look_on()
    {
        JsonElement first = await GetJsonAsync("/v1/stats");
        Assert.False(first.TryGetProperty("activity", out _));
        JsonElement second = first;
        for (int i = 0; i < 5 || !second.TryGetProperty("activity", out _); i++)
        {
            (await Server.PutAsync($"/v1/tables/t/entries/{i % 5}", new byte[9])).EnsureSuccessStatusCode();
            await Client.GetAsync($"/v1/tables/t/entries/{i % 5}");
            await Client.GetAsync("/v1/tables/t/entries/none");
            second = await GetJsonAsync("/v1/stats");
        }
        JsonElement activity = second.GetProperty("activity");
        Assert.InRange(activity.GetProperty("seconds").GetDouble(), 0.9, double.MaxValue);
        foreach (string kind in new[] { "reads", "writes" })
        {
            JsonElement latency = activity.GetProperty(kind);
            double[] times = [.. new[] { "p50Us", "p90Us", "p99Us", "maxUs" }.Select(name => latency.GetProperty(name).GetDouble())];
            Assert.Equal(times.Order(), times);
            Assert.InRange(times[0], double.Epsilon, double.MaxValue);
        }
        JsonElement third = await GetJsonAsync("/v1/stats");
        JsonElement table = third.GetProperty("tables")[0];
        Assert.Equal(0.5, table.GetProperty("hitRatio").GetDouble());
        Assert.Equal(5, table.GetProperty("inserts").GetInt64());
        Assert.True(table.GetProperty("totalBytes").GetInt64() >= table.GetProperty("blockBytes").GetInt64()
            + table.GetProperty("indexBytes").GetInt64());
    }

    [Fact]
    public async Task Statistics_count_connections_and_the_answers_of_both_ways()
    {
        (await Server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        await Client.GetAsync("/v1/tables/t/entries/k"); // answered by the fast path
        await Client.GetAsync("/v1/tables/t/entries/k?maxAge=9"); // and this by the stack
        await Client.GetAsync("/v1/tables/t/entries/none");
        await Client.GetAsync("/nowhere");
        string raw = await Server.SendRawAsync("GET /v1/stats"); // on a connection of its own, beside the client's
        JsonElement service = JsonDocument.Parse(raw[raw.IndexOf('{')..]).RootElement.GetProperty("service");
        Assert.InRange(service.GetProperty("connections").GetInt32(), 2, 20);
        Assert.Equal(0, service.GetProperty("rejectedConnections").GetInt32());
        Assert.InRange(service.GetProperty("requestsRunning").GetInt32(), 1, service.GetProperty("requestLimit").GetInt32());
        Assert.Equal(
            "200 x 2, 201 x 1, 404 x 2",
            string.Join(", ", service.GetProperty("statuses").EnumerateArray().Select(
                static answers => $"{answers.GetProperty("status")} x {answers.GetProperty("count")}")));
    }

    [Fact]
    public async Task Tables_are_listed_with_their_rates_from_the_second_look_on()
    {
        (await Server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        JsonElement table = (await GetJsonAsync("/v1/tables")).GetProperty("tables")[0];
        Assert.Equal(1, table.GetProperty("puts").GetInt64());
        JsonElement rates;
        while (!table.TryGetProperty("perSecond", out rates))
        {
            (await Server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
            table = (await GetJsonAsync("/v1/tables")).GetProperty("tables")[0];
        }
        Assert.True(rates.GetProperty("puts").GetDouble() > 0);
    }

    [Theory]
    [InlineData("/v1/access")]
    [InlineData("/v1/tables")]
    [InlineData("/v1/stats")]
    [InlineData("/v1/memory")]
    [InlineData("/health/live")]
    [InlineData("/health/ready")]
    public async Task Reports_can_be_read_and_nothing_else(string path)
    {
        using HttpResponseMessage get = await Client.GetAsync(path);
        Assert.Equal((HttpStatusCode.OK, "application/json"), (get.StatusCode, get.Content.Headers.ContentType?.ToString()));
        using HttpResponseMessage head = await Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, path));
        Assert.Equal(HttpStatusCode.OK, head.StatusCode);
        using HttpResponseMessage post = await Client.PostAsync(path, null);
        Assert.Equal(["GET", "HEAD"], post.Content.Headers.Allow.Order());
        await ProblemAsync(post, HttpStatusCode.MethodNotAllowed, "method_not_allowed");
    }

    [Theory]
    [InlineData("/v1")]
    [InlineData("/v1/tables/t/entries")]
    [InlineData("/v1/tables/t/other/k")]
    [InlineData("/V1/TABLES/t/entries/k")]
    public async Task Other_paths_have_nothing(string path) =>
        await ProblemAsync(await Client.GetAsync(path), HttpStatusCode.NotFound, "route_not_found");
}
