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
public sealed class HaproxyTests(NodeCluster cluster, ITestOutputHelper output) : IClassFixture<NodeCluster>
{
    private const int KeyCount = 600;

    [ProgramFact(NodeCluster.Proxy)]
    public async Task A_node_that_was_away_gives_nothing_that_is_older_than_what_was_put_last()
    {
        var truth = new CacheTruth(cluster, TestLeg.Steps(300, 3_000));
        int[] all = [.. Enumerable.Range(0, truth.KeyCount)];
        using var stop = new CancellationTokenSource();
        Task reading = ReadAsync(truth, stop.Token);
        // Twice the same node, and another one that took its keys before: what it took must not come up when it is asked for them again.
        (string Way, int Node, Func<int, Task> Leave, Func<Task> Return)[] ways =
        [
            ("killed", 0, _ => cluster.Nodes[0].KillAsync(), () => cluster.StartAgainAsync(0)),
            ("stopped", 0, _ => cluster.Nodes[0].StandStillAsync(true), () => cluster.Nodes[0].StandStillAsync(false)),
            ("cut off", 1, _ => Done(cluster.Relays[1].Cut), () => Done(cluster.Relays[1].Mend)),
            ("one connection failed", 2, key => FailOneAsync(truth, 2, key), () => Task.CompletedTask),
            ("killed again", 0, _ => cluster.Nodes[0].KillAsync(), () => cluster.StartAgainAsync(0)),
        ];
        foreach ((string way, int node, Func<int, Task> leave, Func<Task> comeBack) in ways)
        {
            int[] owned = [];
            await Eventually.TrueAsync(async () => // a busy machine may have answered the proxy's check too late
            {
                await truth.ChangeAllAsync(all, static _ => false);
                owned = await truth.OwnedByAsync(node);
                return owned.Length >= truth.KeyCount / 10 && owned.Length <= truth.KeyCount * 6 / 10;
            });
            await leave(owned[0]);
            await truth.ReadAllAsync();
            await truth.ChangeAllAsync(owned, static key => key % 10 == 0);
            await truth.ReadAllAsync();
            await comeBack();
            await truth.ServesAsync(node, owned[0]);
            await truth.ReadAllAsync();
            output.WriteLine($"{way}: {truth}");
            Assert.NotEqual(0, await truth.CountFoundAsync(all.Except(owned))); // the others keep theirs
            Assert.True(truth.Older == 0, $"{way}: {truth}");
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

    // One that is refused, for less time than the proxy waits before it tries again.
    private async Task FailOneAsync(CacheTruth truth, int node, int key)
    {
        cluster.Relays[node].Refuse();
        Task read = truth.ReadAsync(key);
        _ = await Task.WhenAny(read, Task.Delay(100));
        await cluster.Relays[node].AcceptAgainAsync();
        await read;
    }

    private static Task Done(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    [ProgramFact(NodeCluster.Proxy)]
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

    [ProgramFact(NodeCluster.Proxy)]
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

    [ProgramFact(NodeCluster.Proxy)]
    public async Task A_key_in_two_spellings_is_on_one_node()
    {
        for (int key = 0; key < 20; key++)
        {
            using HttpResponseMessage put = await SendAsync(0, "PUT", $"/v1/tables/t/entries/spelt/{key}", "spelt");
            Assert.Equal(HttpStatusCode.Created, put.StatusCode);
            using HttpResponseMessage got = await SendAsync(0, "GET", $"/v1/tables/t/entries/spelt%2F{key}", null);
            Assert.Equal("spelt", await got.Content.ReadAsStringAsync());
        }
    }

    private Task<HttpResponseMessage> SendAsync(int port, string method, string path, string? body)
    {
        var request = new HttpRequestMessage(
            new HttpMethod(method), port == 0 ? cluster.UriOf(path) : cluster.UriOf(port - 1, path, isDirect: true));
        if (body != null)
            request.Content = new StringContent(body, System.Text.Encoding.UTF8, "application/json");
        return cluster.Client.SendAsync(request);
    }

    private static string Text(int key) => $"key-{key}";

    private async Task<HttpStatusCode> PutAsync(int key)
    {
        using HttpResponseMessage response = await SendAsync(0, "PUT", "/v1/tables/t/entries/" + Text(key), "value of " + Text(key));
        return response.StatusCode;
    }
}
