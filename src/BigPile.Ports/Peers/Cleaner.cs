using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Numerics;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;

namespace BigPile.Ports.Peers;

/// <summary>Cleans up after a process that is gone: first its port ends, then its objects, then its slot.</summary>
/// <remarks>
/// The cleaner holds the control lock and the slot's byte, so there is one at a time. Each step can be repeated, and finds by itself what
/// is left: if a cleaner dies half-way, the next one repeats all. A process that closes the arena cleans up after itself.
/// </remarks>
internal sealed unsafe class Cleaner(ArenaLocks locks, ObjectTable objects, WakeEvents wakeEvents)
{
    private readonly ArenaShape _shape = objects.Shape;

    /// <summary>Cleans a slot. Afterwards it is free, or abandoned: receivers have yet to take what its process sent.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="state">Its state, which is not free.</param>
    /// <param name="dropsUnclaimed">Whether to drop also what was sent before any receiver has come.</param>
    internal void CleanLocked(int slot, int state, bool dropsUnclaimed = false)
    {
        Debug.Assert(locks.IsControlHeld, "No end of a port changes while its process is cleaned up.");
        Debug.Assert(locks.HasTaken(slot), "The process of a slot whose byte is locked by the cleaner is gone, or is the cleaner's own.");
        if (PortMutation.LeavesTheDead)
            return;
        var inFlight = new HashSet<long>();
        bool hasAbandoned = CleanPorts<PortRecord>(slot, port => RemoveReceiver(port, slot, dropsUnclaimed), inFlight)
            | CleanPorts<MulticastRecord>(slot, port => RemoveReceivers(port, slot), inFlight);
        CrashPoints.Pass(PortCrashPoint.PortsCleaned);
        SlotRecord record = _shape.Slot(objects.Mapping.Start, slot);
        if (hasAbandoned)
            record.Change(state, SlotState.Abandoned);
        FreeObjects(1UL << slot, inFlight);
        CrashPoints.Pass(PortCrashPoint.SlotCleaned);
        if (!hasAbandoned)
            record.Change(state, SlotState.Free);
    }

    /// <summary>Frees a port that is empty and that no process uses.</summary>
    internal static void FreeIfDone<TPort>(TPort record) where TPort : struct, IPortRecord<TPort>
    {
        if (record.Port.SenderEnd is { IsActive: false, Slot: < 0 } && !record.HasReceiver)
            Volatile.Write(ref record.Port.IsUsed, 0);
    }

    private bool CleanPorts<TPort>(int slot, Action<TPort> removeReceiver, HashSet<long> inFlight)
        where TPort : struct, IPortRecord<TPort>
    {
        bool hasAbandoned = false;
        for (int number = 0; number < TPort.CountIn(_shape); number++)
        {
            TPort record = TPort.At(_shape, objects.Mapping.Start, number);
            if (Volatile.Read(ref record.Port.IsUsed) == 0)
                continue;
            removeReceiver(record);
            hasAbandoned |= CleanSender(record, slot, inFlight);
            FreeIfDone(record);
        }
        return hasAbandoned;
    }

    private void RemoveReceiver(PortRecord port, int slot, bool dropsUnclaimed)
    {
        if (port.ReceiverEnd is var receiver && receiver.Slot == slot)
        {
            port.ChangeReceiverEnd(receiver, (receiver.IsActive ? receiver.Lost() : receiver).WithoutSlot());
            if (port.SenderEnd.IsGone)
                Drop(port);
            wakeEvents.SignalAll(port);
            wakeEvents.SignalIfClosed(port); // a closed sender holds what was in flight
        }
        if (port.SenderEnd.Slot == slot && (port.ReceiverEnd.IsGone || (dropsUnclaimed && !port.ReceiverEnd.IsActive)))
            Drop(port);
    }

    // No receiver can want it any more.
    private static void Drop(PortRecord port) => Interlocked.Exchange(ref port.Taken, Volatile.Read(ref port.Tail));

    private void RemoveReceivers(MulticastRecord multicast, int slot)
    {
        if (!ReceiverRemoval.RemoveAllOfLocked(multicast, slot))
            return;
        wakeEvents.SignalAll(multicast); // a sender may have waited for the receiver that is gone
        wakeEvents.SignalIfClosed(multicast.Port); // a closed one holds what was in flight to it
    }

    private bool CleanSender<TPort>(TPort record, int slot, HashSet<long> inFlight) where TPort : struct, IPortRecord<TPort>
    {
        PortRecord port = record.Port;
        PortEnd before = port.SenderEnd;
        if (before.Slot != slot)
            return false;
        PortEnd sender = before.IsActive ? before.Lost() : before;
        bool hasAbandoned = CollectInFlight(record, inFlight);
        port.ChangeSenderEnd(before, hasAbandoned ? sender : sender.WithoutSlot());
        wakeEvents.SignalAll(record);
        return hasAbandoned;
    }

    private bool CollectInFlight<TPort>(TPort record, HashSet<long> inFlight) where TPort : struct, IPortRecord<TPort>
    {
        PortRecord port = record.Port;
        int depth = Volatile.Read(ref port.Depth);
        if (depth < 1 || depth > _shape.Depth || !BitOperations.IsPow2(depth))
            return false; // no correct process has written that
        long tail = Volatile.Read(ref port.Tail);
        long taken = record.Slowest(tail, tail - depth); // of many one may be at an older number: it died while it joined
        if (tail - taken <= 0 || tail - taken > depth)
            return false; // empty, or words that no correct process has written
        for (long number = taken; number < tail && !PortMutation.FreesInFlight; number++)
        {
            if (port.Entry(number, depth).TryRead(out Reference reference))
                inFlight.Add(reference.Head);
        }
        return true;
    }

    private void FreeObjects(ulong bit, HashSet<long> inFlight)
    {
        for (long head = 0; head < _shape.Granules; head++)
        {
            ref ulong holders = ref objects[head].Holders;
            if ((Volatile.Read(ref holders) & bit) == 0 || inFlight.Contains(head))
                continue;
            Interlocked.And(ref holders, ~bit);
            CrashPoints.Pass(PortCrashPoint.ObjectCleaned);
        }
    }
}
