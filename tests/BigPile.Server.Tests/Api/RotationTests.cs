using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Api;

/// <summary>What a balancer's checks do to a node.</summary>
public sealed class RotationTests : IDisposable
{
    private const string Path = "/v1/admin:rotation?within=3600&evict=substitute";

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_check_empties_a_node_that_may_have_what_is_older_and_says_so_in_the_log()
    {
        using var lines = new KeptLog(LogLevel.Information, "BigPile.");
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<ILoggerProvider>(lines), "--Serilog:MinimumLevel:Default=Information");
        await PutAsync(server, "/v1/tables/a/entries/k");
        await PutAsync(server, "/v1/tables/b/entries/k");
        Assert.True(await CheckAsync(server, "UP"));
        Assert.Equal((false, false), (await HasAsync(server, "/v1/tables/a/entries/k"), await HasAsync(server, "/v1/tables/b/entries/k")));
        await PutAsync(server, "/v1/tables/a/entries/k");
        Assert.False(await CheckAsync(server, "UP"));
        Assert.True(await HasAsync(server, "/v1/tables/a/entries/k"));
        Assert.True(await CheckAsync(server, "DOWN 1/4; name=nodes/node1"));
        Assert.False(await HasAsync(server, "/v1/tables/a/entries/k"));
        Assert.Equal(2, lines.Lines.Count(static line => line.Contains("emptied", StringComparison.Ordinal)));
        Assert.DoesNotContain(lines.Lines, static line => line.Contains("rotation?", StringComparison.Ordinal));
        JsonElement operations = JsonDocument.Parse(await server.Client.GetStringAsync("/v1/operations")).RootElement;
        Assert.Equal(0, operations.GetProperty("operations").GetArrayLength());
    }

    [Fact]
    public async Task When_a_node_comes_back_what_was_put_in_its_place_goes_and_all_else_stays()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        await CheckAsync(server, "UP", "110");
        await PutAsync(server, "/v1/tables/a/entries/own", ("BigPile-Tags", "mine"));
        await PutAsync(server, "/v1/tables/a/entries/other", ("BigPile-Tags", "mine, also"), ("BigPile-Tags", "substitute"));
        Assert.False(await CheckAsync(server, "UP", "111"));
        Assert.True(await HasAsync(server, "/v1/tables/a/entries/own"));
        Assert.False(await HasAsync(server, "/v1/tables/a/entries/other"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("?within=")]
    [InlineData("?within=0")]
    [InlineData("?within=-1")]
    [InlineData("?within=3601")]
    [InlineData("?within=5s")]
    [InlineData("?within=5&within=6")]
    public async Task A_query_that_can_not_be_is_refused_and_changes_nothing(string query)
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        await PutAsync(server, "/v1/tables/a/entries/k");
        using HttpResponseMessage answer = await server.SendAsync(
            "POST", "/v1/admin:rotation" + query, null, ("X-Haproxy-Server-State", "DOWN"));
        await ServerTest.ProblemAsync(answer, HttpStatusCode.BadRequest, "query_invalid");
        Assert.True(await HasAsync(server, "/v1/tables/a/entries/k"));
    }

    [Fact]
    public async Task Checks_that_come_at_once_take_turns()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        for (int key = 0; key < 1_000; key++)
            await PutAsync(server, $"/v1/tables/a/entries/{key}");
        Assert.DoesNotContain(false, await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => CheckAsync(server, "DOWN"))));
        Assert.False(await HasAsync(server, "/v1/tables/a/entries/999"));
    }

    private static async Task PutAsync(RunningServer server, string path, params (string Name, string Value)[] headers)
    {
        using HttpResponseMessage answer = await server.SendAsync("PUT", path, [1], headers);
        Assert.True(answer.IsSuccessStatusCode, answer.StatusCode.ToString());
    }

    private static async Task<bool> HasAsync(RunningServer server, string path)
    {
        using HttpResponseMessage answer = await server.Client.GetAsync(path);
        return answer.StatusCode == HttpStatusCode.OK;
    }

    private static async Task<bool> CheckAsync(RunningServer server, string state, string nodes = "111")
    {
        using HttpResponseMessage answer = await server.SendAsync(
            "POST", Path, null, ("X-Haproxy-Server-State", state), ("BigPile-Nodes", nodes));
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement.GetProperty("emptied").GetBoolean();
    }
}
