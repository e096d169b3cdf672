using System;
using System.Globalization;
using System.IO;
using System.Net;
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

/// <summary>A stream socket that listens: of TCP on the loopback interface, or of the machine's own in a directory.</summary>
internal sealed class StreamMeeting : IMeeting
{
    private readonly Socket _listener;

    internal StreamMeeting(MessageWay way, string directory, int lane)
    {
        string path = Path.Combine(directory, lane.ToString(CultureInfo.InvariantCulture));
        _listener = MakeSocket(way);
        _listener.Bind(way == MessageWay.Unix ? new UnixDomainSocketEndPoint(path) : new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(1);
        Address = way == MessageWay.Unix ? path : _listener.LocalEndPoint!.ToString()!;
    }

    public string Address { get; }

    /// <summary>The receiver's end of what a <see cref="StreamMeeting"/> has.</summary>
    internal static IMessageChannel Join(MessageWay way, string address)
    {
        Socket socket = MakeSocket(way);
        socket.Connect(way == MessageWay.Unix ? new UnixDomainSocketEndPoint(address) : IPEndPoint.Parse(address));
        return new StreamChannel(Hurried(socket));
    }

    public IMessageChannel Meet() => new StreamChannel(Hurried(_listener.Accept()));

    public void Dispose() => _listener.Dispose();

    private static Socket MakeSocket(MessageWay way) => way == MessageWay.Unix
        ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
        : new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    private static Socket Hurried(Socket socket)
    {
        if (socket.ProtocolType == ProtocolType.Tcp)
            socket.NoDelay = true;
        return socket;
    }
}
