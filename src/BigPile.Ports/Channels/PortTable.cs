using System;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>Finds ports by name; binds their ends to this process, and releases them, under the control lock.</summary>
internal sealed unsafe class PortTable(ObjectTable objects, RefCounts refCounts, PeerTable peers, PortTestHooks hooks)
{
    private readonly ArenaShape _shape = objects.Shape;
    private readonly LatestSides _latest = new();

    /// <summary>
    /// Makes this process the sender of a port, which is created if it does not exist; null if another process is the sender.
    /// </summary>
    internal SenderSide? TryBindSender(string name, int depth)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        Ring ring = FindOrBegin(name, depth, out int number);
        if (ring.Port.SenderEnd.IsActive)
            return null;
        var side = new SenderSide(ring, refCounts, peers.WakeEvents, hooks);
        _latest.Add(number, side);
        hooks.Pass(PortCrashPoint.TakenOver);
        PortRecord port = ring.Port;
        Volatile.Write(ref port.SenderWatches, 0);
        port.SenderEnd = PortEnd.Of(peers.OwnSlot);
        peers.ReclaimAbandonedLocked();
        peers.WakeEvents.SignalBoth(port);
        return side;
    }

    /// <summary>
    /// Makes this process the receiver of a port, which is created if it does not exist; null if another process is the receiver.
    /// </summary>
    internal ReceiverSide? TryBindReceiver(string name, int depth)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        Ring ring = FindOrBegin(name, depth, out _);
        if (ring.Port.ReceiverEnd.IsActive)
            return null;
        PortRecord port = ring.Port;
        Volatile.Write(ref port.ReceiverWatches, 0);
        port.ReceiverEnd = PortEnd.Of(peers.OwnSlot);
        peers.WakeEvents.SignalBoth(port);
        return new ReceiverSide(ring, objects, refCounts, peers.WakeEvents, hooks);
    }

    /// <summary>Closes the sending end. This process still holds what is in flight, which is dropped if the receiver is gone.</summary>
    internal void CloseSenderLocked(SenderSide side)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        PortRecord port = side.Port;
        if (port.ReceiverEnd is { IsActive: false } receiver && receiver != PortEnd.Never)
            Interlocked.Exchange(ref port.Taken, Volatile.Read(ref port.Tail));
        if (port.SenderEnd == PortEnd.Of(peers.OwnSlot))
            port.SenderEnd = port.SenderEnd.Closed();
        side.TryReclaimLocked();
        side.RetireLocked();
        ReleaseIfDrained(side);
        SignalAll(port);
    }

    /// <summary>Releases the end of a closed sender, once nothing of it is in flight.</summary>
    /// <returns><see langword="false"/> if another process delays that: try again.</returns>
    internal bool TryReleaseSenderLocked(SenderSide side)
    {
        if (!peers.Locks.TryEnterControl(TimeSpan.Zero, out ArenaLocks.Control control))
            return false;
        using (control)
            ReleaseIfDrained(side);
        return true;
    }

    /// <summary>Closes the receiving end. What a sender that is gone has left is dropped.</summary>
    internal void CloseReceiver(ReceiverSide side)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        PortRecord port = side.Port;
        if (port.ReceiverEnd == PortEnd.Of(peers.OwnSlot))
            port.ReceiverEnd = port.ReceiverEnd.Closed().WithoutSlot();
        if (!port.SenderEnd.IsActive)
            Interlocked.Exchange(ref port.Taken, Volatile.Read(ref port.Tail));
        peers.ReclaimAbandonedLocked();
        peers.SignalIfClosed(port);
        Cleaner.FreeIfDone(port);
        SignalAll(port);
    }

    // Wakes the other side, and threads of this process that wait at an end that is no longer its own.
    private void SignalAll(PortRecord port)
    {
        peers.WakeEvents.SignalBoth(port);
        peers.WakeEvents.OfWaiter(peers.OwnSlot).SignalAlways();
    }

    private void ReleaseIfDrained(SenderSide side)
    {
        PortRecord port = side.Port;
        if (side.IsDrainedLocked && !side.IsSuperseded && port.SenderEnd is { WasClosed: true } end && end.Slot == peers.OwnSlot)
            port.SenderEnd = end.WithoutSlot();
        Cleaner.FreeIfDone(port);
    }

    private Ring FindOrBegin(string name, int depth, out int number)
    {
        byte[] bytes = PortRecord.NameOf(name);
        if (PortNames.TryFindLocked(bytes, _shape.Ports, Record, out number))
        {
            peers.DetectDeathLocked(Record(number).SenderEnd.Slot);
            peers.DetectDeathLocked(Record(number).ReceiverEnd.Slot);
        }
        number = PortNames.FindLocked(bytes, _shape.Ports, Record, out bool isUsed); // again: the port may have gone with a dead process
        PortRecord port = Record(number);
        if (!isUsed)
            port.Begin(bytes, depth);
        return new Ring(port, _shape);
    }

    private PortRecord Record(int number) => _shape.Port(objects.Mapping.Start, number);
}
