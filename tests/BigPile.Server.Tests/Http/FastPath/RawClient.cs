using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>A client that sends bytes as they are.</summary>
internal sealed class RawClient : IDisposable
{
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    private readonly Socket _socket;

    private RawClient(Socket socket) => _socket = socket;

    internal static async Task<RawClient> ConnectAsync(int port, int receiveBytes = 0)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        if (receiveBytes != 0)
            socket.ReceiveBufferSize = receiveBytes;
        await socket.ConnectAsync(IPAddress.Loopback, port);
        return new RawClient(socket);
    }

    /// <summary>Sends everything in parts, and reads to the end of the connection.</summary>
    internal static async Task<byte[]> ExchangeAsync(int port, byte[] sent, params int[] cuts)
    {
        using RawClient client = await ConnectAsync(port);
        int from = 0;
        foreach (int cut in cuts)
        {
            await client.SendAsync(sent.AsMemory(from, cut - from));
            from = cut;
            await Task.Yield();
        }
        await client.SendAsync(sent.AsMemory(from));
        return await client.ReadToEndAsync();
    }

    internal static async Task<string> ExchangeAsync(int port, string sent) =>
        Encoding.Latin1.GetString(await ExchangeAsync(port, Encoding.Latin1.GetBytes(sent)));

    // The server may close before it has everything.
    internal async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
                bytes = bytes[await _socket.SendAsync(bytes)..];
        }
        catch (SocketException)
        {
        }
    }

    internal Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    /// <summary>Reads as many bytes as there are at the moment, at least one; none at the end.</summary>
    internal async Task<int> ReadAsync(Memory<byte> buffer)
    {
        using var stop = new CancellationTokenSource(Timeout);
        return await _socket.ReceiveAsync(buffer, stop.Token);
    }

    /// <summary>Reads exactly as many characters.</summary>
    internal async Task<string> ReadAsync(int lengthBytes)
    {
        var buffer = new byte[lengthBytes];
        int readBytes = 0;
        while (readBytes < lengthBytes)
        {
            int more = await ReadAsync(buffer.AsMemory(readBytes));
            if (more == 0)
                throw new EndOfStreamException(Encoding.Latin1.GetString(buffer, 0, readBytes));
            readBytes += more;
        }
        return Encoding.Latin1.GetString(buffer);
    }

    /// <summary>Reads up to and with a text.</summary>
    internal async Task<string> ReadUntilAsync(string end)
    {
        var text = new StringBuilder();
        var buffer = new byte[1];
        while (!text.ToString().EndsWith(end, StringComparison.Ordinal))
        {
            if (await ReadAsync(buffer) == 0)
                throw new EndOfStreamException(text.ToString());
            text.Append((char)buffer[0]);
        }
        return text.ToString();
    }

    internal async Task<byte[]> ReadToEndAsync()
    {
        using var all = new MemoryStream();
        var buffer = new byte[64 * 1024];
        try
        {
            while (await ReadAsync(buffer) is var lengthBytes and not 0)
                all.Write(buffer, 0, lengthBytes);
        }
        catch (SocketException)
        {
            // Reset: the server did not read what came behind its last answer.
        }
        return all.ToArray();
    }

    internal void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    public void Dispose() => _socket.Dispose();
}
