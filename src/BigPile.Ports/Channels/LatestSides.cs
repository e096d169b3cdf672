using System.Collections.Generic;

namespace BigPile.Ports.Channels;

/// <summary>The side by which this process last sent to each port: only that one may release the port's end.</summary>
/// <remarks>
/// A process that closes a port and opens it again holds what is in flight through both sides, under one slot. Thread safety: the caller
/// holds the control lock.
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
