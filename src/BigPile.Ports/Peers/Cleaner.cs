using System.Collections.Generic;
using System.Numerics;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;

namespace BigPile.Ports.Peers;

/// <summary>Cleans up after a process that is gone: first its port ends, then its objects, then its slot.</summary>
/// <remarks>
/// The cleaner holds the control lock and the slot's byte, so there is one at a time. Each step can be repeated, and finds by itself what
/// is left: if a cleaner dies half-way, the next one repeats all. A process that closes the arena cleans up after itself.
/// </remarks>
internal sealed unsafe class Cleaner(ObjectTable objects, WakeEvents wakeEvents, PortTestHooks hooks)
{
    private readonly ArenaShape _shape = objects.Shape;

    /// <summary>Cleans a slot. Afterwards it is free, or abandoned: receivers have yet to take what its process sent.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="dropsUnclaimed">Whether to drop also what was sent before any receiver has come.</param>
    internal void CleanLocked(int slot, bool dropsUnclaimed = false)
    {
        if (hooks.Has(PortMutation.LeavesTheDead))
            return;
        var inFlight = new HashSet<long>();
        bool hasAbandoned = false;
        for (int number = 0; number < _shape.Ports; number++)
        {
            PortRecord port = _shape.Port(objects.Mapping.Start, number);
            if (Volatile.Read(ref port.IsUsed) == 0)
                continue;
            hasAbandoned |= CleanPort(port, slot, dropsUnclaimed, inFlight);
            FreeIfDone(port);
        }
        hasAbandoned |= CleanMulticastPorts(slot, inFlight);
        hooks.Pass(PortCrashPoint.PortsCleaned);
        ref int state = ref _shape.Slot(objects.Mapping.Start, slot).State;
        if (hasAbandoned)
            Volatile.Write(ref state, SlotState.Abandoned);
        FreeObjects(1UL << slot, inFlight);
        hooks.Pass(PortCrashPoint.SlotCleaned);
        if (!hasAbandoned)
            Volatile.Write(ref state, SlotState.Free);
    }

    /// <summary>Frees a port that is empty and that no process uses.</summary>
    internal static void FreeIfDone(PortRecord port)
    {
        if (port.SenderEnd is { IsActive: false, Slot: < 0 } && port.ReceiverEnd is { IsActive: false, Slot: < 0 })
            Volatile.Write(ref port.IsUsed, 0);
    }

    /// <inheritdoc cref="FreeIfDone(PortRecord)"/>
    internal static void FreeIfDone(MulticastRecord port)
    {
        if (port.Port.SenderEnd is { IsActive: false, Slot: < 0 } && Volatile.Read(ref port.Members) == 0)
            Volatile.Write(ref port.Port.IsUsed, 0);
    }

    private bool CleanMulticastPorts(int slot, HashSet<long> inFlight)
    {
        bool hasAbandoned = false;
        for (int number = 0; number < _shape.MulticastPorts; number++)
        {
            MulticastRecord port = _shape.Multicast(objects.Mapping.Start, number);
            if (Volatile.Read(ref port.Port.IsUsed) == 0)
                continue;
            if (ReceiverRemoval.RemoveAllOfLocked(port, slot, hooks))
                SignalSenders(port);
            hasAbandoned |= CleanPort(port, slot, inFlight);
            FreeIfDone(port);
        }
        return hasAbandoned;
    }

    // A sender may have waited for the receiver that is gone; a closed one holds what was in flight to it.
    private void SignalSenders(MulticastRecord port)
    {
        wakeEvents.SignalAll(port);
        if (port.Port.SenderEnd is { WasClosed: true, Slot: >= 0 and int closed })
            wakeEvents.OfReclaimer(closed).SignalAlways();
    }

    private bool CleanPort(MulticastRecord multicast, int slot, HashSet<long> inFlight)
    {
        PortRecord port = multicast.Port;
        PortEnd sender = port.SenderEnd;
        if (sender.Slot != slot)
            return false;
        sender = sender.IsActive ? sender.Lost() : sender;
        long tail = Volatile.Read(ref port.Tail);
        bool hasAbandoned = CollectInFlight(port, multicast.Slowest(tail, long.MinValue), tail, inFlight);
        port.SenderEnd = hasAbandoned ? sender : sender.WithoutSlot();
        wakeEvents.SignalAll(multicast);
        return hasAbandoned;
    }

    private bool CleanPort(PortRecord port, int slot, bool dropsUnclaimed, HashSet<long> inFlight)
    {
        if (port.ReceiverEnd is var receiver && receiver.Slot == slot)
        {
            port.ReceiverEnd = (receiver.IsActive ? receiver.Lost() : receiver).WithoutSlot();
            wakeEvents.SignalBoth(port);
        }
        PortEnd sender = port.SenderEnd;
        if (sender.Slot != slot)
            return false;
        sender = sender.IsActive ? sender.Lost() : sender;
        if (port.ReceiverEnd is { IsActive: false } gone && (gone != PortEnd.Never || dropsUnclaimed))
            Interlocked.Exchange(ref port.Taken, Volatile.Read(ref port.Tail)); // no receiver can want it any more
        long taken = Volatile.Read(ref port.Taken);
        bool hasAbandoned = CollectInFlight(port, taken, Volatile.Read(ref port.Tail), inFlight);
        port.SenderEnd = hasAbandoned ? sender : sender.WithoutSlot();
        wakeEvents.SignalBoth(port);
        return hasAbandoned;
    }

    private bool CollectInFlight(PortRecord port, long taken, long tail, HashSet<long> inFlight)
    {
        int depth = Volatile.Read(ref port.Depth);
        if (depth < 1 || depth > _shape.Depth || !BitOperations.IsPow2(depth) || tail - taken <= 0 || tail - taken > depth)
            return false; // empty, or words that no correct process has written
        for (long number = taken; number < tail && !hooks.Has(PortMutation.FreesInFlight); number++)
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
            hooks.Pass(PortCrashPoint.ObjectCleaned);
        }
    }
}
