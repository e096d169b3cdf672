using System;
using System.Collections.Generic;

namespace BigPile.Perf.Messages;

/// <summary>Sends a message to one receiver after the other: of sockets, where the system copies it each time.</summary>
internal sealed class LaneBroadcast : IBroadcast
{
    private readonly IReadOnlyList<Lane> _lanes;
    private readonly byte[][] _messages;

    internal LaneBroadcast(MessageRoute route, IReadOnlyList<Lane> lanes)
    {
        _lanes = lanes;
        _messages = new byte[route.Burst][];
        for (int i = 0; i < _messages.Length; i++)
            _messages[i] = new byte[route.SizeBytes];
    }

    public void Make(int count)
    {
    }

    public void Write(int index, ReadOnlySpan<byte> message) => message.CopyTo(_messages[index]);

    public void Send(int index)
    {
        foreach (Lane lane in _lanes)
            lane.Send(_messages[index]);
    }

    public void Dispose()
    {
    }
}
