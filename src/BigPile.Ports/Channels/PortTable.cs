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
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>The ports of one kind: finds them by name, and binds and releases senders, under the control lock.</summary>
internal sealed unsafe class PortTable<TPort>(ObjectTable objects, RefCounts refCounts, PeerTable peers)
    where TPort : struct, IPortRecord<TPort>
{
    private const string Structure = "Port";

    private readonly ArenaShape _shape = objects.Shape;

    // The side by which this process last sent to each port: only that one may release the port's end. A process that closes a port and
    // opens it again holds what is in flight through both sides, under one slot.
    private readonly Dictionary<int, SenderSide<TPort>> _latest = [];

    /// <summary>
    /// Makes this process the sender of a port, which is created if it does not exist; null if another process is the sender.
    /// </summary>
    internal SenderSide<TPort>? TryBindSender(string name, int depth)
    {
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        (TPort record, Ring ring) = FindOrBeginLocked(name, depth, out int number);
        PortRecord port = record.Port;
        PortEnd before = port.SenderEnd;
        if (before.IsActive)
            return null;
        var side = new SenderSide<TPort>(record, ring, refCounts, peers.WakeEvents);
        if (_latest.TryGetValue(number, out SenderSide<TPort>? latest))
            latest.Supersede();
        _latest[number] = side;
        CrashPoints.Pass(PortCrashPoint.TakenOver);
        Volatile.Write(ref port.SenderWatches, 0);
        port.ChangeSenderEnd(before, PortEnd.Of(peers.OwnSlot));
        peers.ReclaimAbandonedLocked();
        lock (side.SendLock)
            side.TryReclaimLocked(); // a living predecessor may have released some of it meanwhile
        peers.WakeEvents.SignalAll(record);
        if (before.Slot >= 0)
            peers.WakeEvents.OfReclaimer(before.Slot).SignalAlways(); // this side holds what that one holds
        return side;
    }

    /// <summary>
    /// Closes the sending end. This process still holds what is in flight, which is dropped if the only receiver is gone.
    /// </summary>
    internal void CloseSenderLocked(SenderSide<TPort> side)
    {
        Debug.Assert(side.SendLock.IsHeldByCurrentThread, "Nothing is sent while the end is closed.");
        using ArenaLocks.Control control = peers.Locks.EnterControl();
        PortRecord port = side.Port;
        if (side.Record.ReceiverEnd.IsGone)
            Interlocked.Exchange(ref port.Taken, Volatile.Read(ref port.Tail));
        if (port.SenderEnd is var end && end == PortEnd.Of(peers.OwnSlot))
            port.ChangeSenderEnd(end, end.Closed());
        side.TryReclaimLocked();
        side.RetireLocked();
        ReleaseIfDrained(side);
        SignalAll(side.Record);
    }

    /// <summary>Releases the end of a closed sender, once nothing of it is in flight.</summary>
    /// <returns><see langword="false"/> if another process delays that: try again.</returns>
    internal bool TryReleaseSenderLocked(SenderSide<TPort> side)
    {
        Debug.Assert(side.SendLock.IsHeldByCurrentThread, "What is in flight is counted under the sender's lock.");
        if (!peers.Locks.TryEnterControl(TimeSpan.Zero, out ArenaLocks.Control control))
            return false;
        using (control)
            ReleaseIfDrained(side);
        return true;
    }

    /// <summary>Finds a port for one that enters, after dead processes have left it, or creates it.</summary>
    /// <exception cref="IOException">All ports are in use.</exception>
    internal (TPort Record, Ring Ring) FindOrBeginLocked(string name, int depth, out int number)
    {
        Debug.Assert(peers.Locks.IsControlHeld, "Two processes would take the same free port.");
        byte[] bytes = PortRecord.NameOf(name);
        if (TryFind(bytes, out number))
            DetectDeadLocked(Record(number));
        bool isUsed = TryFind(bytes, out number); // again: the port may have gone with a dead process
        if (number < 0)
            throw new IOException($"The arena has {TPort.CountIn(_shape)} ports of this kind, and all are in use: create it with more.");
        TPort record = Record(number);
        if (!isUsed)
            record.Begin(bytes, depth);
        return (record, new Ring(record.Port, _shape));
    }

    /// <summary>Releases a port that a receiver has left, and what a sender that is gone has left there.</summary>
    internal void CleanLocked(TPort record)
    {
        Debug.Assert(peers.Locks.IsControlHeld, "A port is freed under the control lock: another process may be entering it.");
        peers.ReclaimAbandonedLocked();
        peers.WakeEvents.SignalIfClosed(record.Port);
        Cleaner.FreeIfDone(record);
        SignalAll(record);
    }

    /// <summary>
    /// Checks the ports and what this process sends there, for tests. The caller holds the control lock, and no process is sending or
    /// receiving.
    /// </summary>
    /// <returns>A bit for each slot that has an end of a port, and one for each whose process has sent what is in flight.</returns>
    internal (ulong Ends, ulong Senders) CheckInvariantsLocked()
    {
        (ulong ends, ulong senders) = (0, 0);
        for (int number = 0; number < TPort.CountIn(_shape); number++)
        {
            TPort record = Record(number);
            if (Volatile.Read(ref record.Port.IsUsed) == 0)
            {
                Invariant.True(Structure, number, "free without sender", record.Port.SenderEnd is { IsActive: false, Slot: < 0 });
                Invariant.False(Structure, number, "free with receiver", record.HasReceiver);
                continue;
            }
            Invariant.Between(Structure, number, "bytes of the name", record.Port.NameBytes, 1, PortRecord.MaxNameBytes);
            ends |= record.CheckReceivers();
            senders |= CheckSender(number, record);
        }
        return (ends | senders, senders);
    }

    // Who has sent what is in flight holds it, dead or alive: its slot is at the end.
    private ulong CheckSender(int number, TPort record)
    {
        PortEnd sender = record.Port.SenderEnd;
        Invariant.True(Structure, number, "sender with a slot while it is active", !sender.IsActive || sender.Slot >= 0);
        long tail = Volatile.Read(ref record.Port.Tail);
        long slowest = record.Slowest(tail, long.MinValue);
        var ring = new Ring(record.Port, _shape);
        ring.CheckInvariants(slowest);
        if (sender.Slot < 0)
        {
            Invariant.Equal(Structure, number, "objects in flight that no process holds", tail - slowest, 0);
            return 0;
        }
        for (long at = slowest; at < tail; at++)
        {
            Reference reference = ring.Read(at);
            Invariant.True(Structure, number, "object in flight that lives", objects.IsLive(reference));
            ulong holders = Volatile.Read(ref objects[reference.Head].Holders);
            Invariant.True(Structure, number, "object in flight that its sender holds", (holders & (1UL << sender.Slot)) != 0);
        }
        return 1UL << sender.Slot;
    }

    // The number is that of a free port if there is none of that name, and -1 if all are in use.
    private bool TryFind(byte[] name, out int number)
    {
        int free = -1;
        for (number = 0; number < TPort.CountIn(_shape); number++)
        {
            PortRecord port = Record(number).Port;
            bool isUsed = Volatile.Read(ref port.IsUsed) != 0;
            if (isUsed && port.HasName(name))
                return true;
            if (!isUsed && free < 0)
                free = number;
        }
        number = free;
        return false;
    }

    private void DetectDeadLocked(TPort record)
    {
        peers.DetectDeathLocked(record.Port.SenderEnd.Slot);
        for (ulong left = record.SlotsUpTo(long.MaxValue); left != 0; left &= left - 1)
            peers.DetectDeathLocked(BitOperations.TrailingZeroCount(left));
    }

    // Wakes the other side, and threads of this process that wait at an end that is no longer its own.
    private void SignalAll(TPort record)
    {
        peers.WakeEvents.SignalAll(record);
        peers.WakeEvents.OfWaiter(peers.OwnSlot).SignalAlways();
    }

    private void ReleaseIfDrained(SenderSide<TPort> side)
    {
        Debug.Assert(peers.Locks.IsControlHeld, "The end that is released is the one that was read.");
        PortRecord port = side.Port;
        if (side.IsDrainedLocked && !side.IsSuperseded && port.SenderEnd is { WasClosed: true } end && end.Slot == peers.OwnSlot)
            port.ChangeSenderEnd(end, end.WithoutSlot());
        Cleaner.FreeIfDone(side.Record);
    }

    private TPort Record(int number) => TPort.At(_shape, objects.Mapping.Start, number);
}
