using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
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
        _proxy = ServerProcess.Start([HaproxyFactAttribute.Program, "-db", "-n", "1000", "-f", _directory.Write("haproxy.cfg", configuration)], _directory.Root);
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

    private ServerProcess StartNode(int node) => ServerProcess.Start(
        [
            "dotnet", Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll"), $"--urls=http://127.0.0.1:{_ports[node + 1]}",
            $"--Pile:Directory={_directory.Pile}{node}", "--Pile:SegmentBytes=4m", "--Server:LoadSample=false",
        ],
        _directory.Root);

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
