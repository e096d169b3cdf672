using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Deploy;

/// <summary>The HAProxy configuration as it is shipped, in front of three nodes that are processes of their own, each behind a relay.</summary>
internal sealed class NodeCluster : IAsyncDisposable
{
    internal const int NodeCount = 3;

    private readonly TemporaryDirectory _directory = new();
    private readonly KeySettings _keys =
        new KeySettings().With("proxy", KeyScopes.Admin).With("app", KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin);

    private readonly int _port = ServerProcess.FreePort();
    private readonly int[] _ports = [.. Enumerable.Range(0, NodeCount).Select(static _ => ServerProcess.FreePort())];
    private readonly ServerProcess[] _nodes = new ServerProcess[NodeCount];
    private readonly Relay[] _relays = new Relay[NodeCount];
    private ServerProcess? _proxy;

    internal NodeCluster()
    {
        Client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 64 }) { Timeout = TimeSpan.FromSeconds(100) };
        Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", _keys["app"]);
    }

    /// <summary>Sends with a key that may do everything.</summary>
    internal HttpClient Client { get; }

    internal IReadOnlyList<ServerProcess> Nodes => _nodes;

    internal IReadOnlyList<Relay> Relays => _relays;

    internal async Task StartAsync()
    {
        string configuration = await File.ReadAllTextAsync(Path.Combine(SourceTree.Root, "deploy", "haproxy", "haproxy.cfg"));
        configuration = configuration.Replace("127.0.0.1:5080", $"127.0.0.1:{_port}", StringComparison.Ordinal);
        for (int node = 0; node < NodeCount; node++)
        {
            _relays[node] = new Relay(_ports[node]);
            configuration = configuration.Replace(
                $"127.0.0.1:{5081 + node}", $"127.0.0.1:{_relays[node].Port}", StringComparison.Ordinal);
            _nodes[node] = StartNode(node);
        }
        for (int node = 0; node < NodeCount; node++)
        {
            await _nodes[node].WaitUntilReadyAsync(_ports[node]);
            using var content = new StringContent("");
            using HttpResponseMessage put = await Client.PutAsync(UriOf(node, "/v1/tables/t/entries/mark", isDirect: true), content);
            put.EnsureSuccessStatusCode();
        }
        _proxy = ServerProcess.Start(
            [HaproxyFactAttribute.Program, "-db", "-f", _directory.Write("haproxy.cfg", configuration)], _directory.Path,
            new Dictionary<string, string> { ["BIGPILE_KEY"] = _keys["proxy"] });
        await _proxy.WaitUntilReadyAsync(_port);
        for (int node = 0; node < NodeCount; node++)
            await HasNotAsync(node, "mark"); // the first time that a node is asked it empties itself
        await Eventually.TrueAsync(IsSpreadAsync); // one whose first answer is slow is let in a little later
    }

    /// <summary>Starts a node that was killed, on its directory.</summary>
    internal async Task StartAgainAsync(int node)
    {
        _nodes[node] = StartNode(node);
        await _nodes[node].WaitUntilReadyAsync(_ports[node]);
    }

    /// <summary>Where something is asked for through the proxy.</summary>
    internal Uri UriOf(string path) => UriOf(_port, path);

    /// <summary>Where a node itself is asked for it.</summary>
    internal Uri UriOf(int node, string path, bool isDirect) => UriOf(isDirect ? _ports[node] : _port, path);

    public async ValueTask DisposeAsync()
    {
        if (_proxy != null)
            await _proxy.DisposeAsync();
        foreach (ServerProcess node in _nodes.OfType<ServerProcess>())
            await node.DisposeAsync();
        foreach (Relay relay in _relays.OfType<Relay>())
            await relay.DisposeAsync();
        Client.Dispose();
        _directory.Dispose();
    }

    private Task HasNotAsync(int node, string key) => Eventually.TrueAsync(async () => !await HasAsync(node, key));

    private async Task<bool> HasAsync(int node, string key)
    {
        using HttpResponseMessage answer = await Client.GetAsync(UriOf(node, "/v1/tables/t/entries/" + key, isDirect: true));
        return answer.StatusCode == HttpStatusCode.OK;
    }

    private async Task<bool> IsSpreadAsync()
    {
        const int Probes = 32;
        var found = new int[NodeCount];
        for (int probe = 0; probe < Probes; probe++)
        {
            string key = "spread-" + Guid.NewGuid();
            using var content = new StringContent("");
            using HttpResponseMessage put = await Client.PutAsync(UriOf("/v1/tables/t/entries/" + key), content);
            for (int node = 0; node < NodeCount; node++)
                found[node] += await HasAsync(node, key) ? 1 : 0;
        }
        return Array.TrueForAll(found, static count => count != 0);
    }

    private static Uri UriOf(int port, string path) =>
        new($"http://127.0.0.1:{port}{path}", new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });

    private ServerProcess StartNode(int node) => ServerProcess.Start(
        [
            "dotnet", Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll"), $"--urls=http://127.0.0.1:{_ports[node]}",
            $"--Pile:Directory={_directory.Pile}{node}", "--Pile:SegmentBytes=4m", "--Server:LoadSample=false",
            "--Server:DrainSeconds=2", .. _keys.Arguments,
        ],
        _directory.Path);
}
