using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Attacks;

/// <summary>A socket on which bytes are sent as they are written.</summary>
internal sealed class RawConnection : IDisposable
{
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp);

    internal static async Task<RawConnection> OpenAsync(int port)
    {
        var connection = new RawConnection();
        await connection._socket.ConnectAsync(IPAddress.Loopback, port);
        return connection;
    }

    /// <summary>Sends bytes; what the server no longer takes is lost, as it is to an attacker.</summary>
    internal async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
                bytes = bytes[await _socket.SendAsync(bytes)..];
        }
        catch (SocketException)
        {
            // The server has closed.
        }
    }

    internal Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    /// <summary>Says that nothing more comes.</summary>
    internal void EndSending()
    {
        if (_socket.Connected)
            _socket.Shutdown(SocketShutdown.Send);
    }

    /// <summary>Reads to the end of the connection, however it ends.</summary>
    internal async Task<string> ReadToEndAsync()
    {
        using var all = new MemoryStream();
        var buffer = new byte[64 << 10];
        try
        {
            while (await _socket.ReceiveAsync(buffer.AsMemory()).AsTask().WaitAsync(Timeout) is var length and > 0)
                all.Write(buffer, 0, length);
        }
        catch (SocketException)
        {
            // Reset: what came before it counts.
        }
        return Encoding.Latin1.GetString(all.ToArray());
    }

    /// <summary>Goes without a word: the other side gets a reset.</summary>
    internal void Abort() => _socket.Close(0);

    public void Dispose() => _socket.Dispose();
}
