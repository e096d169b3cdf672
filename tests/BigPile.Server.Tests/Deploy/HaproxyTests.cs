using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Deploy;

/// <summary>The HAProxy configuration as it is shipped: what goes where, and nodes that are away for a while.</summary>
public sealed class HaproxyTests(ITestOutputHelper output) : IAsyncLifetime
{
    private const int KeyCount = 600;

    private readonly NodeCluster _cluster = new();

    public async Task InitializeAsync()
    {
        if (!System.IO.File.Exists(HaproxyFactAttribute.Program))
            return;
        try
        {
            await _cluster.StartAsync();
        }
        catch
        {
            await DisposeAsync(); // the runner does not, when the start fails
            throw;
        }
    }

    public async Task DisposeAsync() => await _cluster.DisposeAsync();

    [HaproxyFact]
    public async Task A_node_that_was_away_gives_nothing_that_is_older_than_what_was_put_last()
    {
        var truth = new CacheTruth(_cluster, TestLeg.Steps(300, 3_000));
        int[] all = [.. Enumerable.Range(0, truth.KeyCount)];
        await truth.ChangeAllAsync(all, static _ => false);
        int[][] owned = [await truth.OwnedByAsync(0), await truth.OwnedByAsync(1), await truth.OwnedByAsync(2)];
        Assert.Equal(all, owned.SelectMany(static keys => keys).Order()); // each on one node and no other
        Assert.All(owned, keys => Assert.InRange(keys.Length, all.Length / 10, all.Length));
        using var stop = new CancellationTokenSource();
        Task reading = ReadAsync(truth, stop.Token);
        (string Way, int Node, Func<Task> Leave, Func<Task> Return)[] ways =
        [
            ("killed", 0, () => _cluster.Nodes[0].KillAsync(), () => _cluster.StartAgainAsync(0)),
            ("stopped", 1, () => _cluster.Nodes[1].StandStillAsync(true), () => _cluster.Nodes[1].StandStillAsync(false)),
            ("cut off", 2, () => Done(_cluster.Relays[2].Cut), () => Done(_cluster.Relays[2].Mend)),
            ("one connection failed", 0, () => Done(_cluster.Relays[0].ResetNext, _cluster.Relays[0].ResetAll), () => Done()),
            // What the others took over before must not come up once more.
            ("killed again", 0, () => _cluster.Nodes[0].KillAsync(), () => _cluster.StartAgainAsync(0)),
        ];
        foreach ((string way, int node, Func<Task> leave, Func<Task> comeBack) in ways)
        {
            int[] keys = owned[node];
            await leave();
            await truth.ReadAllAsync();
            await truth.ChangeAllAsync(keys, static key => key % 10 == 0);
            await truth.ReadAllAsync();
            await comeBack();
            await truth.ServesAsync(node, keys[0]);
            await truth.ReadAllAsync();
            output.WriteLine($"{way}: {truth}");
            Assert.True(truth.Older == 0, $"{way}: {truth}");
            await truth.ChangeAllAsync(all, static _ => false);
        }
        await stop.CancelAsync();
        await reading;
        Assert.Equal(0, truth.Older);
        Assert.True(truth.Found > truth.KeyCount);
    }

    private static async Task ReadAsync(CacheTruth truth, CancellationToken stop)
    {
        for (int key = 0; !stop.IsCancellationRequested; key = (key + 7) % truth.KeyCount)
            await truth.ReadAsync(key);
    }

    private static Task Done(params Action[] actions)
    {
        Array.ForEach(actions, static action => action());
        return Task.CompletedTask;
    }

    [HaproxyFact]
    public async Task What_is_about_more_than_one_key_is_refused_and_answered_by_the_nodes_themselves()
    {
        for (int key = 0; key < KeyCount; key++)
            Assert.Equal(HttpStatusCode.Created, await PutAsync(key));
        string keys = "{\"keys\":[" + string.Join(',', Enumerable.Range(0, KeyCount).Select(static key => $"\"{Text(key)}\"")) + "]}";
        (string Method, string Path, string? Body)[] requests =
        [
            ("POST", "/v1/tables/t:mget", keys), ("POST", "/v1/tables/t:mset", """{"items":[{"key":"x","text":"y"}]}"""),
            ("POST", "/v1/tables/t:mdelete", keys), ("POST", "/v1/tables/t:evict", """{"tags":["a"]}"""),
            ("POST", "/v1/tables/t:load?key=k", "{}"),
            ("GET", "/v1/tables/t:export", null), ("GET", "/v1/tables/t/keys", null), ("GET", "/v1/tables/t/keys?prefix=/entries/", null),
            ("GET", "/v1/tables/t", null), ("PUT", "/v1/tables/t", "{}"), ("DELETE", "/v1/tables/t", null), ("GET", "/v1/tables", null),
            ("GET", "/v1/stats", null), ("POST", "/v1/admin:purge", null), ("GET", "/v1/operations", null), ("GET", "/metrics", null),
            ("GET", "/", null),
            ("POST", "/v1/tables/t:mget/entries/", keys), ("GET", "/v1/tables/t%3Aexport/entries", null),
            ("GET", "/v1/tables/entries/x", null),
        ];
        foreach ((string method, string path, string? body) in requests)
        {
            using HttpResponseMessage answer = await SendAsync(0, method, path, body);
            string text = await answer.Content.ReadAsStringAsync();
            Assert.True(answer.StatusCode == HttpStatusCode.MisdirectedRequest,
                $"{method} {path}: {answer.StatusCode} {text[..Math.Min(text.Length, 200)]}");
            Assert.Equal("application/problem+json", answer.Content.Headers.ContentType?.ToString());
            Assert.Contains("/nodes/", JsonDocument.Parse(text).RootElement.GetProperty("detail").GetString(), StringComparison.Ordinal);
        }
        using HttpResponseMessage health = await SendAsync(0, "GET", "/health/ready", null);
        Assert.Equal(HttpStatusCode.OK, health.StatusCode);
        int found = 0;
        for (int node = 1; node <= NodeCluster.NodeCount; node++)
        {
            using HttpResponseMessage many = await SendAsync(0, "POST", $"/nodes/{node}/v1/tables/t:mget", keys);
            using HttpResponseMessage direct = await SendAsync(node, "POST", "/v1/tables/t:mget", keys);
            string text = await many.Content.ReadAsStringAsync();
            Assert.Equal(await direct.Content.ReadAsStringAsync(), text);
            found += JsonDocument.Parse(
                text).RootElement.GetProperty("items").EnumerateArray().Count(static item => item.GetProperty("status").GetInt32() == 200);
        }
        Assert.Equal(KeyCount, found);
    }

    [HaproxyFact]
    public async Task All_that_is_done_to_a_key_is_done_on_its_node()
    {
        foreach (string key in new[] { "plain", "a%2Fb", "a%3Atouch", "%74he%20key", "k:touch", "x/entries/y", "%C3%BC" })
        {
            string path = "/v1/tables/t/entries/" + key;
            string asPost = path.Replace(":touch", "%3Atouch", StringComparison.Ordinal);
            foreach ((string method, string target, HttpStatusCode status) in new[]
            {
                ("PUT", path, HttpStatusCode.Created), ("GET", path, HttpStatusCode.OK), ("HEAD", path, HttpStatusCode.OK),
                ("POST", asPost, HttpStatusCode.Conflict), ("POST", asPost + ":touch", HttpStatusCode.NoContent),
                ("POST", asPost + ":persist", HttpStatusCode.NoContent), ("GET", path + "?maxAge=100", HttpStatusCode.OK),
                ("DELETE", path, HttpStatusCode.NoContent), ("GET", path, HttpStatusCode.NotFound),
            })
            {
                using HttpResponseMessage answer = await SendAsync(
                    0, method, target, method is "PUT" or "POST" && !target.EndsWith("touch", StringComparison.Ordinal) ? "v" : null);
                Assert.True(answer.StatusCode == status, $"{method} {target}: {answer.StatusCode}");
            }
        }
    }

    private Task<HttpResponseMessage> SendAsync(int port, string method, string path, string? body)
    {
        var request = new HttpRequestMessage(
            new HttpMethod(method), port == 0 ? _cluster.UriOf(path) : _cluster.UriOf(port - 1, path, isDirect: true));
        if (body != null)
            request.Content = new StringContent(body, System.Text.Encoding.UTF8, "application/json");
        return _cluster.Client.SendAsync(request);
    }

    private static string Text(int key) => $"key-{key}";

    private async Task<HttpStatusCode> PutAsync(int key)
    {
        using HttpResponseMessage response = await SendAsync(0, "PUT", "/v1/tables/t/entries/" + Text(key), "value of " + Text(key));
        return response.StatusCode;
    }
}
