using System.Net;
using System.Net.Sockets;

namespace BigPile.Perf.Messages;

/// <summary>A UDP socket on the loopback interface, on which the receiver announces itself.</summary>
internal sealed class DatagramMeeting : IMeeting
{
    private readonly Socket _socket = DatagramChannel.MakeSocket();
    private readonly MessageRoute _route;

    internal DatagramMeeting(MessageRoute route)
    {
        _route = route;
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        Address = _socket.LocalEndPoint!.ToString()!;
    }

    public string Address { get; }

    /// <summary>The receiver's end of what a <see cref="DatagramMeeting"/> has.</summary>
    internal static IMessageChannel Join(MessageRoute route, string address)
    {
        Socket socket = DatagramChannel.MakeSocket();
        socket.Connect(IPEndPoint.Parse(address));
        socket.Send(new byte[1]);
        return new DatagramChannel(socket, route, isSender: false);
    }

    public IMessageChannel Meet()
    {
        EndPoint receiver = new IPEndPoint(IPAddress.Any, 0);
        _ = _socket.ReceiveFrom(new byte[1], ref receiver);
        _socket.Connect(receiver);
        return new DatagramChannel(_socket, _route, isSender: true);
    }

    public void Dispose() => _socket.Dispose();
}
