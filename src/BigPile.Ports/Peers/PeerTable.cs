using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;

namespace BigPile.Ports.Peers;

/// <summary>The processes that have an arena open: this one's slot, and detection of the death of others.</summary>
/// <remarks>
/// A process first locks the byte of a slot, and then marks the slot active: so a process that is starting has marked nothing yet, or has
/// the lock, and is never taken for dead. Thread safety: all members may be called concurrently; those with "Locked" in their names under
/// the control lock.
/// </remarks>
internal sealed unsafe class PeerTable
{
    // A process that is stopped, as by a debugger, delays others no longer than this.
    private static readonly TimeSpan ReclaimTimeout = TimeSpan.FromMilliseconds(200);

    // For calls that have a timeout: the holder of the control lock may be stopped.
    private static readonly TimeSpan BriefTimeout = TimeSpan.FromMilliseconds(10);

    private readonly ObjectTable _objects;
    private readonly Cleaner _cleaner;

    private ulong _unresponsive; // bits of slots that did not reclaim in time; not waited for again

    private PeerTable(ArenaLocks locks, ObjectTable objects, ArenaIdentity identity)
    {
        Locks = locks;
        Identity = identity;
        _objects = objects;
        WakeEvents = new WakeEvents(objects);
        _cleaner = new Cleaner(locks, objects, WakeEvents);
    }

    internal ArenaLocks Locks { get; }

    internal WakeEvents WakeEvents { get; }

    /// <summary>Tells whether the arena is the one that others open.</summary>
    internal ArenaIdentity Identity { get; }

    internal int OwnSlot { get; private set; }

    /// <summary>Takes a slot, and cleans up after dead processes.</summary>
    /// <exception cref="IOException">The arena has as many processes as it can.</exception>
    internal static PeerTable JoinLocked(ArenaLocks locks, ObjectTable objects, ArenaIdentity identity)
    {
        var peers = new PeerTable(locks, objects, identity);
        peers.OwnSlot = peers.TakeSlotLocked();
        for (int slot = 0; slot < ArenaShape.Processes; slot++)
            peers.DetectDeathLocked(slot);
        return peers;
    }

    /// <summary>Checks whether a process has died, and if so cleans up after it.</summary>
    internal void DetectDeath(int slot)
    {
        Identity.Poll();
        if (slot < 0 || slot == OwnSlot || StateOf(slot) == SlotState.Free || Locks.IsHeldByOther(slot))
            return;
        if (!Locks.TryEnterControl(BriefTimeout, out ArenaLocks.Control control))
            return; // callers that wait check again
        using (control)
            DetectDeathLocked(slot);
    }

    /// <summary>Checks the processes of several slots, given as a mask.</summary>
    internal void DetectDeath(ulong slots)
    {
        Identity.Poll();
        for (ulong left = slots; left != 0; left &= left - 1)
            DetectDeath(BitOperations.TrailingZeroCount(left));
    }

    /// <summary>Checks all other processes.</summary>
    internal void DetectAllDeaths()
    {
        for (int slot = 0; slot < ArenaShape.Processes; slot++)
            DetectDeath(slot);
    }

    /// <inheritdoc cref="DetectDeath(int)"/>
    internal void DetectDeathLocked(int slot)
    {
        Debug.Assert(Locks.IsControlHeld, "A process that is being opened has locked its slot's byte, and is not yet active.");
        if (slot < 0 || slot == OwnSlot || StateOf(slot) == SlotState.Free || !Locks.TryTakeLocked(slot))
            return;
        try
        {
            if (StateOf(slot) is var state && state != SlotState.Free)
                _cleaner.CleanLocked(slot, state);
        }
        finally
        {
            Locks.ReleaseLocked(slot);
        }
        ReclaimAbandonedLocked();
    }

    /// <summary>Cleans up after dead processes whose last messages have been received or dropped.</summary>
    internal void ReclaimAbandonedLocked()
    {
        Debug.Assert(Locks.IsControlHeld, "The state of a slot that is not this process's changes under the control lock.");
        for (int slot = 0; slot < ArenaShape.Processes; slot++)
        {
            if (slot == OwnSlot || StateOf(slot) != SlotState.Abandoned || !Locks.TryTakeLocked(slot))
                continue;
            try
            {
                _cleaner.CleanLocked(slot, SlotState.Abandoned);
            }
            finally
            {
                Locks.ReleaseLocked(slot);
            }
        }
    }

    /// <inheritdoc cref="ReclaimAbandonedLocked"/>
    internal void ReclaimAbandoned()
    {
        if (!Locks.TryEnterControl(BriefTimeout, out ArenaLocks.Control control))
            return; // the next holder of the lock does it
        using (control)
            ReclaimAbandonedLocked();
    }

    /// <summary>Whether a slot belongs to another process.</summary>
    internal bool IsOther(int slot) => slot >= 0 && slot != OwnSlot;

    /// <summary>Makes all other senders release what was received, and waits until they have.</summary>
    /// <returns>Whether anything was released.</returns>
    internal bool RequestReclaim()
    {
        List<Received> asked = FindReceived();
        ulong slots = 0;
        foreach (Received received in asked)
        {
            slots |= 1UL << received.Slot;
            WakeEvents.OfReclaimer(received.Slot).SignalAlways();
        }
        Debug.Assert(asked.TrueForAll(received => IsOther(received.Slot)), "A process that asks itself waits in vain.");
        _unresponsive &= slots; // a slot with nothing left has responded
        asked.RemoveAll(received => (_unresponsive & (1UL << received.Slot)) != 0);
        if (asked.Count == 0 || SpinWait.SpinUntil(() => !asked.Exists(HasReclaimable), ReclaimTimeout))
            return asked.Count != 0;
        foreach (Received received in asked.FindAll(HasReclaimable))
            _unresponsive |= 1UL << received.Slot;
        return false;
    }

    /// <summary>Releases all that this process has; if another process delays that, others do it.</summary>
    internal void Leave()
    {
        try
        {
            using ArenaLocks.Control control = Locks.EnterControl();
            _cleaner.CleanLocked(OwnSlot, SlotState.Active);
            Locks.ReleaseLocked(OwnSlot);
            ReclaimAbandonedLocked();
        }
        catch (IOException)
        {
            // the slot's lock ends with the file: others clean up, as if this process had died
        }
    }

    /// <summary>The number of processes that have the arena open, including this one.</summary>
    internal int CountPeers()
    {
        int count = 1;
        for (int slot = 0; slot < ArenaShape.Processes; slot++)
            count += slot != OwnSlot && StateOf(slot) == SlotState.Active && Locks.IsHeldByOther(slot) ? 1 : 0;
        return count;
    }

    /// <summary>
    /// Checks the slots against the objects and ports, for tests. The caller holds the control lock, and no process is allocating, sending
    /// or receiving.
    /// </summary>
    /// <param name="holders">The slots that hold objects.</param>
    /// <param name="ends">The slots that have an end of a port.</param>
    /// <param name="senders">The slots that have sent to a port, and hold what is in flight.</param>
    internal void CheckInvariantsLocked(ulong holders, ulong ends, ulong senders)
    {
        const string Structure = "Slot";
        Invariant.Equal(Structure, OwnSlot, "state of this process", StateOf(OwnSlot), SlotState.Active);
        Invariant.True(Structure, OwnSlot, "locked byte of this process", Locks.HasTaken(OwnSlot));
        for (int slot = 0; slot < ArenaShape.Processes; slot++)
        {
            bool isHolder = (holders & (1UL << slot)) != 0;
            bool isSender = (senders & (1UL << slot)) != 0;
            Invariant.Between(Structure, slot, "state", StateOf(slot), SlotState.Free, SlotState.Abandoned);
            Invariant.False(Structure, slot, "free and a holder", StateOf(slot) == SlotState.Free && isHolder);
            Invariant.False(Structure, slot, "free and at a port", StateOf(slot) == SlotState.Free && (ends & (1UL << slot)) != 0);
            Invariant.False(Structure, slot, "abandoned and no sender", StateOf(slot) == SlotState.Abandoned && !isSender);
            Invariant.True(Structure, slot, "another's byte that is not locked", slot == OwnSlot || !Locks.HasTaken(slot));
        }
    }

    private int TakeSlotLocked()
    {
        Debug.Assert(Locks.IsControlHeld, "A slot is locked and marked active in one go.");
        OwnSlot = -1;
        for (int slot = 0; slot < 2 * ArenaShape.Processes; slot++)
        {
            int one = slot % ArenaShape.Processes;
            if (TryTakeSlotLocked(one, dropsUnclaimed: slot >= ArenaShape.Processes))
                return one;
        }
        throw new IOException(
            $"{ArenaShape.Processes} processes have the arena open, or left objects in flight, and no more can. "
            + "Close it in one of them, or receive what was sent.");
    }

    private bool TryTakeSlotLocked(int slot, bool dropsUnclaimed)
    {
        if (!Locks.TryTakeLocked(slot))
            return false;
        if (StateOf(slot) is var state && state != SlotState.Free)
            _cleaner.CleanLocked(slot, state, dropsUnclaimed);
        CrashPoints.Pass(PortCrashPoint.SlotLocked);
        if (StateOf(slot) == SlotState.Free)
        {
            _objects.Shape.Slot(_objects.Mapping.Start, slot).Change(SlotState.Free, SlotState.Active);
            return true;
        }
        Locks.ReleaseLocked(slot);
        return false;
    }

    private List<Received> FindReceived()
    {
        var found = new List<Received>();
        AddReceived<PortRecord>(found);
        AddReceived<MulticastRecord>(found);
        found.RemoveAll(one => !HasReclaimable(one));
        return found;
    }

    private void AddReceived<TPort>(List<Received> found) where TPort : struct, IPortRecord<TPort>
    {
        for (int number = 0; number < TPort.CountIn(_objects.Shape); number++)
        {
            TPort record = TPort.At(_objects.Shape, _objects.Mapping.Start, number);
            PortRecord port = record.Port;
            long received = record.Slowest(Volatile.Read(ref port.Tail), Volatile.Read(ref port.Reclaimed));
            found.Add(new Received(port, port.SenderEnd.Slot, received));
        }
    }

    private bool HasReclaimable(Received received)
    {
        PortRecord port = received.Port;
        return Volatile.Read(ref port.IsUsed) != 0 && IsOther(received.Slot) && port.SenderEnd.Slot == received.Slot
            && StateOf(received.Slot) == SlotState.Active && Volatile.Read(ref port.Reclaimed) < received.Taken;
    }

    private int StateOf(int slot) => _objects.Shape.Slot(_objects.Mapping.Start, slot).State;

    /// <summary>The counter of received objects of a port, as read at one time.</summary>
    private readonly record struct Received(PortRecord Port, int Slot, long Taken);
}
