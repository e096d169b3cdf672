using System;
using System.IO;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>Adds receivers of multicast ports, and removes them, under the control lock.</summary>
internal sealed class MulticastReceivers(PortTable<MulticastRecord> ports, ObjectTable objects, RefCounts refCounts, PeerTable peers)
{
    /// <summary>Makes this process a receiver of a port, which is created if it does not exist.</summary>
    /// <exception cref="IOException">The port has as many receivers as it can.</exception>
    internal ReceiverSide<MulticastMember> Add(string name, int depth, bool isFromOldest)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        (MulticastRecord record, Ring ring) = ports.FindOrBeginLocked(name, depth, out _);
        int number = record.FindFree();
        if (number < 0)
            throw new IOException($"The port '{name}' has {MulticastRecord.MaxReceivers} receivers, and can't have more.");
        Add(record, ring, number, isFromOldest && record.Port.SenderEnd.IsActive);
        peers.WakeEvents.SignalAll(record);
        return new ReceiverSide<MulticastMember>(new(record, number), ring, objects, refCounts, peers.WakeEvents);
    }

    /// <summary>Releases a receiver's record, and after the last one what a sender that is gone has left.</summary>
    internal void Close(ReceiverSide<MulticastMember> side)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        MulticastRecord record = side.Record.Multicast;
        if (record.Member(side.Record.Number).Slot == peers.OwnSlot)
            ReceiverRemoval.RemoveLocked(record, side.Record.Number);
        ulong own = 1UL << peers.OwnSlot;
        if ((record.SlotsUpTo(long.MaxValue) & own) == 0)
            Interlocked.And(ref record.Watchers, ~own); // otherwise each message would wake waiters for other ports
        ports.CleanLocked(record);
    }

    // Order: the record names the slot, the bit joins, and only then is the start read again. A sender that has not seen the bit has not
    // released what follows that second read. The start never moves back: the floor may have been lowered, but a sender that saw the first
    // start may raise it again. A receiver that dies in between is found by its slot.
    private void Add(MulticastRecord record, Ring ring, int number, bool isFromOldest)
    {
        MemberRecord member = record.Member(number);
        member.Slot = peers.OwnSlot;
        CrashPoints.Pass(PortCrashPoint.MemberNamed);
        try
        {
            long first = StartOf(ring, isFromOldest);
            Volatile.Write(ref member.Cursor, first);
            CrashPoints.Pass(PortCrashPoint.MemberPlaced);
            Interlocked.Or(ref record.Members, 1UL << number); // full fence; pairs with that of a sender that releases
            CrashPoints.Pass(PortCrashPoint.MemberAdded);
            if (!PortMutation.JoinsWithoutRecheck)
                Interlocked.CompareExchange(ref member.Cursor, Math.Max(StartOf(ring, isFromOldest), first), first);
        }
        catch (InvalidDataException)
        {
            ReceiverRemoval.RemoveLocked(record, number);
            throw;
        }
    }

    private static long StartOf(Ring ring, bool isFromOldest)
    {
        (long oldest, long tail) = ring.ReadCounters();
        return isFromOldest ? oldest : tail;
    }
}
