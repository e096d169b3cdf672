using System;
using System.Runtime.Versioning;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

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
