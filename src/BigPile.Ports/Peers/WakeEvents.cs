using System;
using System.Numerics;
using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Peers;

/// <summary>The bells of an arena: two of each port, and two of each process.</summary>
/// <remarks>
/// A process that waits for several ports at once waits by a bell of its slot, and says so at each of the ports. Thread safety: all members
/// may be called concurrently.
/// </remarks>
internal sealed unsafe class WakeEvents(ObjectTable objects)
{
    /// <summary>By which a process is asked to give back what was received.</summary>
    internal WakeEvent OfReclaimer(int slot) => objects.Shape.Slot(objects.Mapping.Start, slot).Reclaimer;

    /// <summary>By which a process waits for several ports at once.</summary>
    internal WakeEvent OfWaiter(int slot) => objects.Shape.Slot(objects.Mapping.Start, slot).Waiter;

    /// <summary>There is something to receive.</summary>
    internal void SignalData(PortRecord port)
    {
        port.Data.Signal(); // fences, also for what is read below
        if (Volatile.Read(ref port.ReceiverWatches) != 0 && port.ReceiverEnd.Slot is >= 0 and int slot)
            OfWaiter(slot).Signal();
        GC.KeepAlive(objects); // and with it the memory
    }

    /// <summary>There is room to send.</summary>
    internal void SignalSpace(PortRecord port)
    {
        port.Space.Signal(); // fences, also for what is read below
        if (Volatile.Read(ref port.SenderWatches) != 0 && port.SenderEnd.Slot is >= 0 and int slot)
            OfWaiter(slot).Signal();
        GC.KeepAlive(objects);
    }

    /// <summary>There is something to receive for all. Those that wait by a bell of their own are rung one by one.</summary>
    internal void SignalData(MulticastRecord port)
    {
        port.Data.Signal(); // fences, also for what is read below
        for (ulong left = Volatile.Read(ref port.Watchers); left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).Signal();
        GC.KeepAlive(objects);
    }

    /// <summary>The sender of a multicast port, or one of its receivers, has come or gone.</summary>
    internal void SignalAll(MulticastRecord port)
    {
        SignalBoth(port.Port);
        for (ulong left = Volatile.Read(ref port.Watchers); left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).SignalAlways();
    }

    /// <summary>One end of a port has changed its owner.</summary>
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
