using System;
using BigPile.Ports.Channels;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports;

/// <summary>A receiver of a multicast port: each gets all objects, in order, and without a copy.</summary>
/// <remarks>
/// Has all members of <see cref="ReceivePort"/>, and can be added to a <see cref="PortSelector"/>. If the sender has cut it off for being
/// too slow, each call that receives throws a <see cref="SlowReceiverException"/>. Thread safety: all members may be called concurrently;
/// of several threads that receive, one gets each object.
/// </remarks>
public sealed class MulticastReceiver : ReceivePort
{
    private readonly ReceiverSide<MulticastMember> _side;

    internal MulticastReceiver(
        string name, ReceiverSide<MulticastMember> side, Action close, ObjectTable objects, RefCounts refCounts, PeerTable peers,
        SpinThenWait waiter, PendingWork work) : base(name, side, close, objects, refCounts, peers, waiter, work)
    {
        _side = side;
    }

    /// <summary>
    /// How many objects this receiver has missed because it was too slow, counted up to the last one that it has received.
    /// </summary>
    public long MissedCount => _side.Missed;
}
