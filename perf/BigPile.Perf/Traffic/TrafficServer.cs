using System;
using System.Diagnostics;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading;

namespace BigPile.Perf.Traffic;

/// <summary>The server under load: one process after another over the same pile.</summary>
/// <remarks>Thread safety: <see cref="WaitForNext"/> may be called by any number of threads, all else by one.</remarks>
internal sealed class TrafficServer : IDisposable
{
    private readonly object _lock = new();
    private readonly string _directory;
    private ServerProcess _process;
    private int _generation;
    private bool _isRestarting;
    private bool _isOver;

    internal TrafficServer(string directory)
    {
        _directory = directory;
        _process = ServerProcess.Start(directory);
    }

    internal ServerProcess Process => _process;

    internal IPEndPoint Address => _process.Address;

    /// <summary>Whether the server is ending or starting, so that it may refuse requests.</summary>
    internal bool IsRestarting => Volatile.Read(ref _isRestarting);

    /// <summary>Ends the server while the clients go on asking it, and starts another one.</summary>
    internal TrafficRestart Restart(bool isClean)
    {
        Volatile.Write(ref _isRestarting, true);
        long start = Stopwatch.GetTimestamp();
        if (isClean)
            _process.Stop();
        else
            _process.Kill();
        TimeSpan stopped = Stopwatch.GetElapsedTime(start);
        _process.Dispose();
        start = Stopwatch.GetTimestamp();
        var next = ServerProcess.Start(_directory);
        TimeSpan started = Stopwatch.GetElapsedTime(start);
        lock (_lock)
        {
            _process = next;
            _generation++;
            Volatile.Write(ref _isRestarting, false);
            Monitor.PulseAll(_lock);
        }
        return new TrafficRestart(
            isClean ? "SIGTERM" : "SIGKILL", Figure.Rounded(stopped.TotalSeconds, 3), Figure.Rounded(started.TotalSeconds, 3));
    }

    /// <summary>Gives the server that came after one, and waits for it while there is a restart.</summary>
    /// <param name="generation">The one that was lost, and then the one that is given.</param>
    internal IPEndPoint WaitForNext(ref int generation)
    {
        lock (_lock)
        {
            while (_isRestarting && _generation == generation && !_isOver)
                Monitor.Wait(_lock);
            if (_generation == generation)
                throw new LoadException("The server closed a connection that it should have kept.");
            generation = _generation;
            return _process.Address;
        }
    }

    /// <summary>Releases all waiting clients.</summary>
    internal void GiveUp()
    {
        lock (_lock)
        {
            _isOver = true;
            Monitor.PulseAll(_lock);
        }
    }

    public void Dispose() => _process.Dispose();
}

/// <summary>Makes the server's table, and asks it how it is.</summary>
internal static class TrafficProbe
{
    private const string Entry = "/v1/tables/" + RequestWriter.Table + "/entries/probe";

    internal static void MakeTable(IPEndPoint server)
    {
        using HttpClient client = ClientOf(server);
        using var put = new HttpRequestMessage(HttpMethod.Put, Entry) { Content = new ByteArrayContent([1]) };
        using HttpResponseMessage answer = client.Send(put).EnsureSuccessStatusCode();
        using HttpResponseMessage removed = client.Send(new HttpRequestMessage(HttpMethod.Delete, Entry)).EnsureSuccessStatusCode();
    }

    /// <summary>The memory of a server that serves.</summary>
    internal static TrafficMemory MemoryOf(ServerProcess server, int percent)
    {
        using HttpClient client = ClientOf(server.Address);
        using HttpResponseMessage answer = client.Send(new HttpRequestMessage(HttpMethod.Get, "/v1/stats"));
        using JsonDocument stats = JsonDocument.Parse(answer.EnsureSuccessStatusCode().Content.ReadAsStream());
        JsonElement root = stats.RootElement;
        long entries = 0;
        foreach (JsonElement table in root.GetProperty("tables").EnumerateArray())
            entries += table.GetProperty("entries").GetInt64();
        return new TrafficMemory(
            percent, server.Id, server.ResidentBytes(), root.GetProperty("process").GetProperty("managedBytes").GetInt64(), entries,
            root.GetProperty("pile").GetProperty("memoryBytes").GetProperty("reserved").GetInt64());
    }

    private static HttpClient ClientOf(IPEndPoint server) => new() { BaseAddress = new Uri($"http://{server}") };
}
