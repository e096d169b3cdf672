using System;
using BigPile.Ports.Channels;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports;

/// <summary>One of any number of receivers of a multicast port: each gets all that is sent, in order, and without a copy.</summary>
/// <remarks>
/// What a <see cref="ReceivePort"/> can do it can, and a <see cref="PortSelector"/> takes it as well. Whom a sender cuts off that does not
/// wait for the slow, each call that receives tells by a <see cref="SlowReceiverException"/>. Thread safety: all members may be called
/// concurrently; of several threads that receive, each object comes to one.
/// </remarks>
public sealed class MulticastReceiver : ReceivePort
{
    private readonly MulticastReceiverSide _side;

    internal MulticastReceiver(
        string name, MulticastReceiverSide side, Action close, ObjectTable objects, RefCounts refCounts, PeerTable peers,
        SpinThenWait waiter, PendingWork work) : base(name, side, close, objects, refCounts, peers, waiter, work)
    {
        _side = side;
    }

    /// <summary>
    /// How many objects this receiver has lost because it was too slow, of those before the last that it has received.
    /// </summary>
    public long MissedCount => _side.Missed;
}
