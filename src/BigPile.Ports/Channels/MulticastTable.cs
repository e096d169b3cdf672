using System;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>Finds multicast ports by name; has senders and receivers come and go. All of it goes under the control lock.</summary>
internal sealed unsafe class MulticastTable(ObjectTable objects, RefCounts refCounts, PeerTable peers, PortTestHooks hooks)
{
    private readonly ArenaShape _shape = objects.Shape;
    private readonly LatestSides _latest = new();

    /// <summary>Makes this process the sender of a port, which is made where there is none; null when another one is.</summary>
    internal MulticastSenderSide? TryBindSender(string name, int depth)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        (MulticastRecord record, Ring ring) = FindOrBegin(name, depth, out int number);
        PortRecord port = record.Port;
        PortEnd before = port.SenderEnd;
        if (before.IsActive)
            return null;
        var side = new MulticastSenderSide(record, ring, refCounts, peers.WakeEvents, hooks);
        _latest.Add(number, side);
        hooks.Pass(PortCrashPoint.TakenOver);
        Volatile.Write(ref port.SenderWatches, 0);
        port.SenderEnd = PortEnd.Of(peers.OwnSlot);
        peers.ReclaimAbandonedLocked();
        side.ReclaimLocked(); // a sender before, that lives, may have given back some of it meanwhile
        peers.WakeEvents.SignalAll(record);
        if (before.Slot >= 0)
            peers.WakeEvents.OfReclaimer(before.Slot).SignalAlways(); // what that one backs is backed here
        return side;
    }

    /// <summary>Closes the sender's end. What is on the way is backed by this process still.</summary>
    internal void CloseSenderLocked(MulticastSenderSide side)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        PortRecord port = side.Port;
        side.ReclaimLocked();
        if (port.SenderEnd == PortEnd.Of(peers.OwnSlot))
            port.SenderEnd = port.SenderEnd.Closed();
        side.RetireLocked();
        ReleaseIfDrained(side);
        SignalAll(side.Record);
    }

    /// <summary>Forgets a sender's end that was closed, once nothing of it is on the way.</summary>
    /// <returns><see langword="false"/> when another process holds that up: it is to be tried again.</returns>
    internal bool TryReleaseSenderLocked(MulticastSenderSide side)
    {
        if (!peers.Locks.TryEnterControl(TimeSpan.Zero, out ArenaLocks.Control control))
            return false;
        using (control)
            ReleaseIfDrained(side);
        return true;
    }

    /// <summary>Makes this process a receiver of a port, which is made where there is none.</summary>
    /// <exception cref="IOException">There are as many receivers as there can be.</exception>
    internal MulticastReceiverSide AddReceiver(string name, int depth, bool isFromOldest)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        (MulticastRecord record, Ring ring) = FindOrBegin(name, depth, out _);
        int number = record.FindFree();
        if (number < 0)
            throw new IOException($"The port '{name}' has {MulticastRecord.MaxReceivers} receivers, and can't have more.");
        Add(record, ring, number, isFromOldest && record.Port.SenderEnd.IsActive);
        peers.WakeEvents.SignalAll(record);
        return new MulticastReceiverSide(record, number, ring, objects, refCounts, peers.WakeEvents, hooks);
    }

    /// <summary>Gives a receiver's record back, and with the last one what a sender that is gone has left.</summary>
    internal void CloseReceiver(MulticastReceiverSide side)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        MulticastRecord record = side.Record;
        if (record.Member(side.Number).Slot == peers.OwnSlot)
            ReceiverRemoval.RemoveLocked(record, side.Number, hooks);
        ulong own = 1UL << peers.OwnSlot;
        if ((record.SlotsUpTo(long.MaxValue) & own) == 0)
            Interlocked.And(ref record.Watchers, ~own); // else each message would wake who waits for other ports
        peers.ReclaimAbandonedLocked();
        peers.SignalIfClosed(record.Port);
        Cleaner.FreeIfDone(record);
        SignalAll(record);
    }

    // It names itself first, then says by a bit that it listens, and then looks once more how far the sender is: a sender that has not seen
    // the bit has not given back what comes behind that look. It never goes back: a floor that was lowered is perhaps raised again by one
    // who has seen it at the first place. Who dies in between is found by the name.
    private void Add(MulticastRecord record, Ring ring, int number, bool isFromOldest)
    {
        MemberRecord member = record.Member(number);
        member.Slot = peers.OwnSlot;
        hooks.Pass(PortCrashPoint.MemberNamed);
        try
        {
            long first = StartOf(ring, isFromOldest);
            Volatile.Write(ref member.Cursor, first);
            hooks.Pass(PortCrashPoint.MemberPlaced);
            Interlocked.Or(ref record.Members, 1UL << number); // a full fence; pairs with the one of the sender that gives back
            hooks.Pass(PortCrashPoint.MemberAdded);
            if (!hooks.Has(PortMutation.JoinsWithoutRecheck))
                Interlocked.CompareExchange(ref member.Cursor, Math.Max(StartOf(ring, isFromOldest), first), first);
        }
        catch (InvalidDataException)
        {
            ReceiverRemoval.RemoveLocked(record, number, hooks);
            throw;
        }
    }

    private static long StartOf(Ring ring, bool isFromOldest)
    {
        (long oldest, long tail) = ring.ReadCounters();
        return isFromOldest ? oldest : tail;
    }

    private void DetectDeadReceivers(MulticastRecord record)
    {
        for (ulong left = record.SlotsUpTo(long.MaxValue); left != 0; left &= left - 1)
            peers.DetectDeathLocked(BitOperations.TrailingZeroCount(left));
    }

    // The other side, and threads of this process that wait at an end which is no longer its own.
    private void SignalAll(MulticastRecord record)
    {
        peers.WakeEvents.SignalAll(record);
        peers.WakeEvents.OfWaiter(peers.OwnSlot).SignalAlways();
    }

    private void ReleaseIfDrained(MulticastSenderSide side)
    {
        PortRecord port = side.Port;
        if (side.IsDrainedLocked && !side.IsSuperseded && port.SenderEnd is { WasClosed: true } end && end.Slot == peers.OwnSlot)
            port.SenderEnd = end.WithoutSlot();
        Cleaner.FreeIfDone(side.Record);
    }

    private (MulticastRecord Record, Ring Ring) FindOrBegin(string name, int depth, out int number)
    {
        byte[] bytes = PortRecord.NameOf(name);
        if (PortNames.TryFindLocked(bytes, _shape.MulticastPorts, PortOf, out number))
        {
            peers.DetectDeathLocked(PortOf(number).SenderEnd.Slot);
            if (Record(number).FindFree() < 0)
                DetectDeadReceivers(Record(number));
        }
        number = PortNames.FindLocked(bytes, _shape.MulticastPorts, PortOf, out bool isUsed); // again: it may have gone with the dead
        MulticastRecord record = Record(number);
        if (!isUsed)
            record.Begin(bytes, depth);
        return (record, new Ring(record.Port, _shape));
    }

    private PortRecord PortOf(int number) => Record(number).Port;

    private MulticastRecord Record(int number) => _shape.Multicast(objects.Mapping.Start, number);
}
