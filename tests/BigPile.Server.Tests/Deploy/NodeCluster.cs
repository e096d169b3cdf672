using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Deploy;

/// <summary>The HAProxy configuration as it is shipped, before three nodes that are processes of their own, each behind a relay.</summary>
public sealed class NodeCluster : IAsyncLifetime
{
    internal const string Proxy = "/usr/sbin/haproxy";
    internal const int NodeCount = 3;

    private readonly TemporaryDirectory _directory = new();
    private readonly KeySettings _keys =
        new KeySettings().With("proxy", KeyScopes.Admin).With("app", KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin);

    private readonly int _port = FreePort.Take();
    private readonly int[] _ports = [.. Enumerable.Range(0, NodeCount).Select(static _ => FreePort.Take())];
    private readonly ServerProcess[] _nodes = new ServerProcess[NodeCount];
    private readonly Relay[] _relays = new Relay[NodeCount];
    private ServerProcess? _proxy;

    public NodeCluster()
    {
        Client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 64 }) { Timeout = TimeSpan.FromSeconds(100) };
        Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", _keys["app"]);
    }

    /// <summary>Sends with a key that may do everything.</summary>
    internal HttpClient Client { get; }

    internal IReadOnlyList<ServerProcess> Nodes => _nodes;

    internal IReadOnlyList<Relay> Relays => _relays;

    public async Task InitializeAsync()
    {
        if (!File.Exists(Proxy))
            return;
        try
        {
            await StartAsync();
        }
        catch
        {
            await DisposeAsync(); // the runner does not, when the start fails
            throw;
        }
    }

    private async Task StartAsync()
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
            await _nodes[node].WaitUntilReadyAsync(_ports[node]);
        string start = $"ulimit -n 1024 && exec {Proxy} -db -f {_directory.Write("haproxy.cfg", configuration)}";
        _proxy = ServerProcess.Start(
            ["bash", "-c", start], _directory.Path,
            new Dictionary<string, string> { ["BIGPILE_KEY"] = _keys["proxy"] });
        await _proxy.WaitUntilReadyAsync(_port);
        await Eventually.TrueAsync(IsStableAsync);
    }

    // Nodes are emptied when they are asked for the first time, and at each check when that took too long at first.
    private async Task<bool> IsStableAsync()
    {
        Uri[] marks = [.. Enumerable.Range(0, NodeCount).Select(node => UriOf(node, "/v1/tables/t/entries/mark", isDirect: true))];
        foreach (Uri mark in marks)
        {
            using var content = new StringContent("");
            using HttpResponseMessage put = await Client.PutAsync(mark, content);
            put.EnsureSuccessStatusCode();
        }
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(1.5)) // two checks and more
        {
            foreach (Uri mark in marks)
            {
                using HttpResponseMessage answer = await Client.GetAsync(mark);
                if (answer.StatusCode != HttpStatusCode.OK)
                    return false;
            }
        }
        return true;
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

    public async Task DisposeAsync()
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
