using System;
using System.Collections.Concurrent;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Deploy;

/// <summary>
/// Stands between two that speak TCP, and can be cut: then nothing comes through, and what was on its way does when it is mended.
/// </summary>
internal sealed class Relay : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<Socket, bool> _clients = new();
    private readonly int _target;
    private TcpListener _listener = new(IPAddress.Loopback, 0);
    private Task _accepting;
    private TaskCompletionSource _open = Done();

    internal Relay(int target)
    {
        _target = target;
        _listener.Start();
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port;
        _accepting = AcceptAsync();
    }

    internal int Port { get; }

    internal void Cut() => Volatile.Write(ref _open, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));

    internal void Mend() => _open.TrySetResult();

    /// <summary>Resets the connections that there are, and refuses new ones.</summary>
    internal void Refuse()
    {
        _listener.Stop();
        ResetAll();
    }

    /// <summary>Takes connections again.</summary>
    internal async Task AcceptAgainAsync()
    {
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _listener = new TcpListener(IPAddress.Loopback, Port);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>Resets the connections that there are.</summary>
    internal void ResetAll()
    {
        foreach (Socket client in _clients.Keys)
            client.Close(0);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        Mend();
        ResetAll();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private static TaskCompletionSource Done()
    {
        var done = new TaskCompletionSource();
        done.SetResult();
        return done;
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            Socket client = await _listener.AcceptSocketAsync(_stop.Token);
            _ = RelayAsync(client);
        }
    }

    private async Task RelayAsync(Socket client)
    {
        using var target = new Socket(SocketType.Stream, ProtocolType.Tcp);
        _clients[client] = true;
        try
        {
            await _open.Task;
            await target.ConnectAsync(IPAddress.Loopback, _target, _stop.Token);
            await Task.WhenAll(CopyAsync(client, target), CopyAsync(target, client));
        }
        catch (Exception e) when (e is SocketException or IOException or ObjectDisposedException or OperationCanceledException)
        {
            client.Close(0); // one of the two is gone
        }
        finally
        {
            _ = _clients.TryRemove(client, out _);
            client.Dispose();
        }
    }

    private async Task CopyAsync(Socket from, Socket to)
    {
        var bytes = new byte[64 * 1024];
        while (true)
        {
            int length = await from.ReceiveAsync(bytes, _stop.Token);
            await _open.Task;
            if (length == 0)
            {
                to.Shutdown(SocketShutdown.Send);
                return;
            }
            for (int sent = 0; sent < length;)
                sent += await to.SendAsync(bytes.AsMemory(sent, length - sent), _stop.Token);
        }
    }
}
