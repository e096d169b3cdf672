using System;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>Finds multicast ports by name; adds and removes senders and receivers, under the control lock.</summary>
internal sealed unsafe class MulticastTable(ObjectTable objects, RefCounts refCounts, PeerTable peers, PortTestHooks hooks)
{
    private readonly ArenaShape _shape = objects.Shape;
    private readonly LatestSides _latest = new();

    /// <summary>
    /// Makes this process the sender of a port, which is created if it does not exist; null if another process is the sender.
    /// </summary>
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
        side.ReclaimLocked(); // a living predecessor may have released some of it meanwhile
        peers.WakeEvents.SignalAll(record);
        if (before.Slot >= 0)
            peers.WakeEvents.OfReclaimer(before.Slot).SignalAlways(); // this side holds what that one holds
        return side;
    }

    /// <summary>Closes the sending end. This process still holds what is in flight.</summary>
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

    /// <summary>Releases the end of a closed sender, once nothing of it is in flight.</summary>
    /// <returns><see langword="false"/> if another process delays that: try again.</returns>
    internal bool TryReleaseSenderLocked(MulticastSenderSide side)
    {
        if (!peers.Locks.TryEnterControl(TimeSpan.Zero, out ArenaLocks.Control control))
            return false;
        using (control)
            ReleaseIfDrained(side);
        return true;
    }

    /// <summary>Makes this process a receiver of a port, which is created if it does not exist.</summary>
    /// <exception cref="IOException">The port has as many receivers as it can.</exception>
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

    /// <summary>Releases a receiver's record, and after the last one what a sender that is gone has left.</summary>
    internal void CloseReceiver(MulticastReceiverSide side)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        MulticastRecord record = side.Record;
        if (record.Member(side.Number).Slot == peers.OwnSlot)
            ReceiverRemoval.RemoveLocked(record, side.Number, hooks);
        ulong own = 1UL << peers.OwnSlot;
        if ((record.SlotsUpTo(long.MaxValue) & own) == 0)
            Interlocked.And(ref record.Watchers, ~own); // otherwise each message would wake waiters for other ports
        peers.ReclaimAbandonedLocked();
        peers.SignalIfClosed(record.Port);
        Cleaner.FreeIfDone(record);
        SignalAll(record);
    }

    // Order: the record names the slot, the bit joins, and only then is the start read again. A sender that has not seen the bit has not
    // released what follows that second read. The start never moves back: the floor may have been lowered, but a sender that saw the first
    // start may raise it again. A receiver that dies in between is found by its slot.
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
            Interlocked.Or(ref record.Members, 1UL << number); // full fence; pairs with that of a sender that releases
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

    // Wakes the other side, and threads of this process that wait at an end that is no longer its own.
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
        number = PortNames.FindLocked(bytes, _shape.MulticastPorts, PortOf, out bool isUsed); // again: it may have died
        MulticastRecord record = Record(number);
        if (!isUsed)
            record.Begin(bytes, depth);
        return (record, new Ring(record.Port, _shape));
    }

    private PortRecord PortOf(int number) => Record(number).Port;

    private MulticastRecord Record(int number) => _shape.Multicast(objects.Mapping.Start, number);
}
