using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Deploy;

/// <summary>The HAProxy configuration as it is shipped, with three nodes that are processes of their own.</summary>
public sealed class HaproxyTests(ITestOutputHelper output) : IAsyncLifetime
{
    private const int KeyCount = 600;
    private const int NodeCount = 3;

    private readonly TemporaryDirectory _directory = new();
    private readonly int[] _ports = [.. Enumerable.Range(0, NodeCount + 1).Select(static _ => ServerProcess.FreePort())];
    private readonly ServerProcess[] _nodes = new ServerProcess[NodeCount];
    private readonly HttpClient _client = new();
    private ServerProcess? _proxy;

    public async Task InitializeAsync()
    {
        if (!File.Exists(HaproxyFactAttribute.Program))
            return;
        try
        {
            await StartAllAsync();
        }
        catch
        {
            await DisposeAsync(); // the runner does not, when the start fails
            throw;
        }
    }

    private async Task StartAllAsync()
    {
        for (int node = 0; node < NodeCount; node++)
            _nodes[node] = StartNode(node);
        for (int node = 0; node < NodeCount; node++)
            await _nodes[node].WaitUntilReadyAsync(_ports[node + 1]);
        string configuration = await File.ReadAllTextAsync(Path.Combine(SourceTree.Root, "deploy", "haproxy", "haproxy.cfg"));
        for (int i = 0; i <= NodeCount; i++)
            configuration = configuration.Replace($"127.0.0.1:508{i}", $"127.0.0.1:{_ports[i]}", StringComparison.Ordinal);
        _proxy = ServerProcess.Start(
            [HaproxyFactAttribute.Program, "-db", "-n", "1000", "-f", _directory.Write("haproxy.cfg", configuration)], _directory.Path);
        await _proxy.WaitUntilReadyAsync(_ports[0]);
    }

    public async Task DisposeAsync()
    {
        if (_proxy != null)
            await _proxy.DisposeAsync();
        foreach (ServerProcess node in _nodes.OfType<ServerProcess>())
            await node.DisposeAsync();
        _client.Dispose();
        _directory.Dispose();
    }

    [HaproxyFact]
    public async Task Keys_are_spread_a_dead_node_takes_only_its_own_and_brings_them_back()
    {
        for (int key = 0; key < KeyCount; key++)
            Assert.Equal(HttpStatusCode.Created, await PutAsync(key));
        List<int>[] owned = await OwnersAsync();
        output.WriteLine("Keys of each node: " + string.Join(", ", owned.Select(static keys => keys.Count)));
        Assert.Equal(KeyCount, owned.Sum(static keys => keys.Count)); // each on one node and no other
        Assert.All(owned, static keys => Assert.InRange(keys.Count, KeyCount / 10, KeyCount));
        Assert.Equal(KeyCount, await CountFoundAsync(Enumerable.Range(0, KeyCount)));
        await AssertOneKeyInTwoSpellingsAsync();

        await _nodes[1].KillAsync();
        Assert.Equal(owned[0].Count + owned[2].Count, await CountFoundAsync(owned[0].Concat(owned[2])));
        await WaitAsync(owned[1][0], HttpStatusCode.NotFound); // another node answers for it
        Assert.Equal(0, await CountFoundAsync(owned[1]));
        Assert.Equal(owned[0].Count + owned[2].Count, await CountFoundAsync(owned[0].Concat(owned[2])));

        _nodes[1] = StartNode(1);
        await _nodes[1].WaitUntilReadyAsync(_ports[2]);
        await WaitAsync(owned[1][0], HttpStatusCode.OK);
        Assert.Equal(KeyCount, await CountFoundAsync(Enumerable.Range(0, KeyCount)));
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
        for (int node = 1; node <= NodeCount; node++)
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
        var target = new Uri(
            $"http://127.0.0.1:{_ports[port]}{path}", new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
        var request = new HttpRequestMessage(new HttpMethod(method), target);
        if (body != null)
            request.Content = new StringContent(body, System.Text.Encoding.UTF8, "application/json");
        return _client.SendAsync(request);
    }

    private ServerProcess StartNode(int node) => ServerProcess.Start(
        [
            "dotnet", Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll"), $"--urls=http://127.0.0.1:{_ports[node + 1]}",
            $"--Pile:Directory={_directory.Pile}{node}", "--Pile:SegmentBytes=4m", "--Server:LoadSample=false",
        ],
        _directory.Path);

    private Uri UriOf(int port, string key) => new($"http://127.0.0.1:{_ports[port]}/v1/tables/t/entries/{key}");

    private static string Text(int key) => "key-" + key.ToString(CultureInfo.InvariantCulture);

    private async Task<HttpStatusCode> PutAsync(int key)
    {
        using var content = new StringContent("value of " + Text(key));
        using HttpResponseMessage response = await _client.PutAsync(UriOf(0, Text(key)), content);
        return response.StatusCode;
    }

    private async Task<List<int>[]> OwnersAsync()
    {
        var owned = new List<int>[NodeCount];
        for (int node = 0; node < NodeCount; node++)
        {
            owned[node] = [];
            for (int key = 0; key < KeyCount; key++)
            {
                using HttpResponseMessage response = await _client.GetAsync(UriOf(node + 1, Text(key)));
                if (response.StatusCode == HttpStatusCode.OK)
                    owned[node].Add(key);
            }
        }
        return owned;
    }

    private async Task<int> CountFoundAsync(IEnumerable<int> keys)
    {
        int found = 0;
        foreach (int key in keys)
        {
            using HttpResponseMessage response = await _client.GetAsync(UriOf(0, Text(key)));
            if (response.StatusCode == HttpStatusCode.OK && await response.Content.ReadAsStringAsync() == "value of " + Text(key))
                found++;
        }
        return found;
    }

    private async Task AssertOneKeyInTwoSpellingsAsync()
    {
        for (int key = 0; key < 20; key++)
        {
            using var content = new StringContent("spelt");
            using HttpResponseMessage put = await _client.PutAsync(UriOf(0, $"spelt/{key}"), content);
            Assert.Equal(HttpStatusCode.Created, put.StatusCode);
            Assert.Equal("spelt", await _client.GetStringAsync(UriOf(0, $"spelt%2F{key}")));
        }
    }

    private async Task WaitAsync(int key, HttpStatusCode status)
    {
        using var timeout = new CancellationTokenSource(ServerProcess.Patience);
        while (true)
        {
            using HttpResponseMessage response = await _client.GetAsync(UriOf(0, Text(key)), timeout.Token);
            if (response.StatusCode == status)
                return;
            await Task.Delay(50, timeout.Token);
        }
    }
}
