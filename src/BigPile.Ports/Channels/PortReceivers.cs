using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>Binds the receiving ends of ports to this process, and releases them, under the control lock.</summary>
internal sealed class PortReceivers(PortTable<PortRecord> ports, ObjectTable objects, RefCounts refCounts, PeerTable peers)
{
    /// <summary>
    /// Makes this process the receiver of a port, which is created if it does not exist; null if another process is the receiver.
    /// </summary>
    internal ReceiverSide<PortRecord>? TryBind(string name, int depth)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        (PortRecord port, Ring ring) = ports.FindOrBeginLocked(name, depth, out _);
        PortEnd before = port.ReceiverEnd;
        if (before.IsActive)
            return null;
        Volatile.Write(ref port.ReceiverWatches, 0);
        port.ChangeReceiverEnd(before, PortEnd.Of(peers.OwnSlot));
        peers.WakeEvents.SignalAll(port);
        return new ReceiverSide<PortRecord>(port, ring, objects, refCounts, peers.WakeEvents);
    }

    /// <summary>Closes the receiving end. What a sender that is gone has left is dropped.</summary>
    internal void Close(ReceiverSide<PortRecord> side)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        PortRecord port = side.Port;
        if (port.ReceiverEnd is var end && end == PortEnd.Of(peers.OwnSlot))
            port.ChangeReceiverEnd(end, end.Closed().WithoutSlot());
        if (!port.SenderEnd.IsActive)
            Interlocked.Exchange(ref port.Taken, Volatile.Read(ref port.Tail));
        ports.CleanLocked(port);
    }
}
