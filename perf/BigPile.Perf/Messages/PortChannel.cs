using System;
using System.Runtime.Versioning;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>A port out and a port in. What is sent is copied into an object of its own, and what comes out of it.</summary>
/// <remarks>A multicast has one port out for all receivers, which is a <see cref="PortBroadcast"/>, and none here.</remarks>
[SupportedOSPlatform("linux")]
internal sealed class PortChannel(SharedArena arena, SendPort? sender, ReceivePort receiver) : IMessageChannel
{
    /// <summary>The sender's end, or the receiver's, of a lane in an arena.</summary>
    internal static PortChannel Open(SharedArena arena, MessageRoute route, int lane, bool isSender)
    {
        (string there, string back) = ($"there-{lane}", $"back-{lane}");
        bool isMulticast = route.Options.Mode == PortsMode.Multicast;
        SendPort? sender = isSender && isMulticast ? null : arena.OpenSendPort(isSender ? there : back, FullPolicy.Wait, route.Depth);
        ReceivePort receiver = isMulticast && !isSender
            ? arena.OpenMulticastReceiver(PortBroadcast.Name, depth: route.Depth)
            : arena.OpenReceivePort(isSender ? back : there, route.Depth);
        return new PortChannel(arena, sender, receiver);
    }

    public void Send(ReadOnlySpan<byte> message)
    {
        using SharedObject sent = arena.Allocate(message.Length);
        message.CopyTo(sent.WritableBytes);
        sender!.Send(sent);
    }

    public void Receive(Span<byte> message)
    {
        using SharedObject received = receiver.Receive() ?? throw new LoadException("The other process has closed its port too early.");
        if (received.LengthBytes != message.Length)
            throw new LoadException($"A message of {received.LengthBytes} bytes came, and not one of {message.Length}.");
        received.Bytes.CopyTo(message);
    }

    public void Dispose()
    {
        sender?.Dispose();
        receiver.Dispose();
    }
}

/// <summary>Two ports of an arena.</summary>
[SupportedOSPlatform("linux")]
internal sealed class PortMeeting(SharedArena arena, MessageRoute route, string directory, int lane) : IMeeting
{
    /// <summary>The arena's name in its directory.</summary>
    internal const string ArenaName = "messages";

    private readonly PortChannel _channel = PortChannel.Open(arena, route, lane, isSender: true);

    public string Address => directory;

    public IMessageChannel Meet() => _channel;

    public void Dispose() => _channel.Dispose();
}

/// <summary>A multicast port, by which a message goes to all receivers at once.</summary>
[SupportedOSPlatform("linux")]
internal sealed class PortBroadcast(SharedArena arena, MessageRoute route) : IBroadcast
{
    /// <summary>The port's name.</summary>
    internal const string Name = "all";

    private readonly MulticastPort _port = arena.OpenMulticastPort(Name, depth: route.Depth);
    private readonly SharedObject[] _made = new SharedObject[route.Burst];

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
            _made[i] = arena.Allocate(route.SizeBytes);
    }

    public void Write(int index, ReadOnlySpan<byte> message) => message.CopyTo(_made[index].WritableBytes);

    public void Send(int index)
    {
        using SharedObject sent = _made[index];
        _port.Send(sent);
    }

    public void Dispose() => _port.Dispose();
}
