using System;
using System.Net;
using System.Net.Sockets;

namespace BigPile.Perf.Messages;

/// <summary>A connected UDP socket.</summary>
/// <remarks>
/// A message larger than a datagram is split into equal fragments. The system drops datagrams when a receiver's buffer is full: so a
/// receiver acknowledges every few messages, and the sender stops when too many are in flight.
/// </remarks>
internal sealed class DatagramChannel : IMessageChannel
{
    /// <summary>The most bytes of a message, so that it fits a socket buffer of the usual size.</summary>
    internal const int MaxBytes = 128 << 10;

    private const int MaxDatagramBytes = 65_507;
    private const int BufferBytes = 208 << 10; // the system doubles it, and allows no more by default
    private const int InFlightBytes = 256 << 10;
    private const int DatagramOverhead = 1024;
    private const int MaxWindow = 64;
    private const int TimeoutMs = 20_000;

    private readonly Socket _socket;
    private readonly bool _isSender;
    private readonly int _window;
    private readonly byte[] _ack = new byte[1]; // shorter than any message
    private int _inFlight;
    private int _received;

    /// <summary>Takes a connected socket.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="route">The route; when each message is answered, no acknowledgements are needed.</param>
    /// <param name="isSender">Whether this side sends the stream.</param>
    internal DatagramChannel(Socket socket, MessageRoute route, bool isSender)
    {
        _socket = socket;
        _isSender = isSender;
        _window = route.Options.Mode == PortsMode.Roundtrip
            ? 0
            : Math.Clamp(InFlightBytes / (route.SizeBytes + DatagramOverhead), 1, MaxWindow);
    }

    private int AckInterval => Math.Max(1, _window / 2);

    /// <summary>A socket with a receive timeout, since UDP does not report that the peer is gone.</summary>
    internal static Socket MakeSocket() => new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
    {
        ReceiveTimeout = TimeoutMs,
        ReceiveBufferSize = BufferBytes,
        SendBufferSize = BufferBytes,
    };

    public void Send(ReadOnlySpan<byte> message)
    {
        try
        {
            while (_isSender && _window > 0 && _inFlight >= _window)
                ReadAck();
            _inFlight++;
            int fragmentBytes = FragmentBytes(message.Length);
            for (; message.Length > 0; message = message[Math.Min(fragmentBytes, message.Length)..])
                _socket.Send(message[..Math.Min(fragmentBytes, message.Length)]);
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
            int fragmentBytes = FragmentBytes(message.Length);
            for (int done = 0; done < message.Length;)
            {
                int received = _socket.Receive(message[done..Math.Min(done + fragmentBytes, message.Length)]);
                if (received == _ack.Length)
                    _inFlight -= AckInterval;
                else
                    done += received;
            }
            if (!_isSender && _window > 0 && ++_received % AckInterval == 0)
                _socket.Send(_ack);
        }
        catch (SocketException e)
        {
            throw Lost(e);
        }
    }

    public void Dispose() => _socket.Dispose();

    private void ReadAck()
    {
        if (_socket.Receive(_ack) == _ack.Length)
            _inFlight -= AckInterval;
    }

    private static int FragmentBytes(int lengthBytes)
    {
        int fragments = (lengthBytes + MaxDatagramBytes - 1) / MaxDatagramBytes;
        return (lengthBytes + fragments - 1) / fragments;
    }

    private static LoadException Lost(SocketException cause) =>
        new($"Nothing came by UDP any more: a message was lost, or the other process is gone. {cause.Message}", cause);
}

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
