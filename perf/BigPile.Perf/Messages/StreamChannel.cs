using System;
using System.Net.Sockets;

namespace BigPile.Perf.Messages;

/// <summary>A connected stream socket.</summary>
internal sealed class StreamChannel(Socket socket) : IMessageChannel
{
    public void Send(ReadOnlySpan<byte> message)
    {
        try
        {
            while (message.Length > 0)
                message = message[socket.Send(message)..];
        }
        catch (SocketException e)
        {
            throw Lost(e);
        }
    }

    public void Receive(Span<byte> message)
    {
        try
        {
            while (message.Length > 0)
            {
                int received = socket.Receive(message);
                message = received > 0 ? message[received..] : throw Lost();
            }
        }
        catch (SocketException e)
        {
            throw Lost(e);
        }
    }

    public void Dispose() => socket.Dispose();

    private static LoadException Lost(Exception? cause = null) =>
        new($"The other process has closed the connection too early. {cause?.Message}", cause);
}
