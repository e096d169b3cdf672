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

    /// <summary>Signals that there is an object to receive.</summary>
    internal void SignalData(PortRecord port)
    {
        port.Data.Signal(); // fences, also for what is read below
        if (Volatile.Read(ref port.ReceiverWatches) != 0 && port.ReceiverEnd.Slot is >= 0 and int slot)
            OfWaiter(slot).Signal();
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

    /// <summary>
    /// Signals that there is an object for all receivers. Those that wait on an event of their own are signalled one by one.
    /// </summary>
    internal void SignalData(MulticastRecord port)
    {
        port.Data.Signal(); // fences, also for what is read below
        for (ulong left = Volatile.Read(ref port.Watchers); left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).Signal();
        GC.KeepAlive(objects);
    }

    /// <summary>Signals that a sender or receiver of a multicast port has come or gone.</summary>
    internal void SignalAll(MulticastRecord port)
    {
        SignalBoth(port.Port);
        for (ulong left = Volatile.Read(ref port.Watchers); left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).SignalAlways();
    }

    /// <summary>Signals that an end of a port has changed.</summary>
    internal void SignalBoth(PortRecord port)
    {
        port.Data.SignalAlways();
        port.Space.SignalAlways();
        if (port.ReceiverEnd.Slot is >= 0 and int receiver)
            OfWaiter(receiver).SignalAlways();
        if (port.SenderEnd.Slot is >= 0 and int sender)
            OfWaiter(sender).SignalAlways();
    }
}
