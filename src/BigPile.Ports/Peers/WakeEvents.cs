using System;
using System.Numerics;
using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Peers;

/// <summary>The wake events of an arena: two of each port, and two of each process.</summary>
/// <remarks>
/// A process that waits for several ports at once waits on an event of its slot, and says so at each port. Thread safety: all members may
/// be called concurrently.
/// </remarks>
internal sealed unsafe class WakeEvents(ObjectTable objects)
{
    /// <summary>The event that makes a process release what was received.</summary>
    internal WakeEvent OfReclaimer(int slot) => objects.Shape.Slot(objects.Mapping.Start, slot).Reclaimer;

    /// <summary>The event on which a process waits for several ports at once.</summary>
    internal WakeEvent OfWaiter(int slot) => objects.Shape.Slot(objects.Mapping.Start, slot).Waiter;

    /// <summary>
    /// Signals that there is an object to receive. Receivers that wait on an event of their own are signalled one by one.
    /// </summary>
    internal void SignalData<TPort>(TPort record) where TPort : struct, IPortRecord<TPort>
    {
        record.Data.Signal(); // fences, also for what is read below
        for (ulong left = record.WatchingSlots; left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).Signal();
        GC.KeepAlive(objects); // keeps the memory mapped
    }

    /// <summary>Signals that there is space to send.</summary>
    internal void SignalSpace(PortRecord port)
    {
        port.Space.Signal(); // fences, also for what is read below
        if (Volatile.Read(ref port.SenderWatches) != 0 && port.SenderEnd.Slot is >= 0 and int slot)
            OfWaiter(slot).Signal();
        GC.KeepAlive(objects);
    }

    /// <summary>Signals that an end of a port has changed, or a receiver has come or gone.</summary>
    internal void SignalAll<TPort>(TPort record) where TPort : struct, IPortRecord<TPort>
    {
        PortRecord port = record.Port;
        port.Data.SignalAlways();
        port.Space.SignalAlways();
        if (record.ReceiverEnd.Slot is >= 0 and int receiver)
            OfWaiter(receiver).SignalAlways();
        if (port.SenderEnd.Slot is >= 0 and int sender)
            OfWaiter(sender).SignalAlways();
        for (ulong left = record.WatchingSlots; left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).SignalAlways();
    }

    /// <summary>Makes a sender that has closed the port check for objects to release.</summary>
    internal void SignalIfClosed(PortRecord port)
    {
        if (port.SenderEnd is { WasClosed: true, Slot: >= 0 } sender)
            OfReclaimer(sender.Slot).SignalAlways();
    }
}
