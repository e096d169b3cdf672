using System.Collections.Generic;

namespace BigPile.Ports.Channels;

/// <summary>By which of its sides this process last sent to each port: only that one may let go of the port's end.</summary>
/// <remarks>
/// A process that closes a port and opens it again backs by both sides what is on the way, under one slot. Thread safety: the caller has
/// the control lock.
/// </remarks>
internal sealed class LatestSides
{
    private readonly Dictionary<int, ISendingSide> _latest = [];

    internal void Add(int port, ISendingSide side)
    {
        if (_latest.TryGetValue(port, out ISendingSide? before))
            before.Supersede();
        _latest[port] = side;
    }
}
