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
    internal Doorbell OfReaper(int slot) => objects.Shape.Slot(objects.Mapping.Start, slot).Reaper;

    /// <summary>By which a process waits for several ports at once.</summary>
    internal Doorbell OfWaiter(int slot) => objects.Shape.Slot(objects.Mapping.Start, slot).Waiter;

    /// <summary>There is something to receive.</summary>
    internal void RingData(PortRecord port)
    {
        port.Data.Ring(); // fences, also for what is read below
        if (Volatile.Read(ref port.ReceiverWatches) != 0 && port.ReceiverEnd.Slot is >= 0 and int slot)
            OfWaiter(slot).Ring();
        GC.KeepAlive(objects); // and with it the memory
    }

    /// <summary>There is room to send.</summary>
    internal void SignalSpace(PortRecord port)
    {
        port.Space.Ring(); // fences, also for what is read below
        if (Volatile.Read(ref port.SenderWatches) != 0 && port.SenderEnd.Slot is >= 0 and int slot)
            OfWaiter(slot).Ring();
        GC.KeepAlive(objects);
    }

    /// <summary>There is something to receive for all. Those that wait by a bell of their own are rung one by one.</summary>
    internal void RingData(MulticastRecord port)
    {
        port.Data.Ring(); // fences, also for what is read below
        for (ulong left = Volatile.Read(ref port.Watchers); left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).Ring();
        GC.KeepAlive(objects);
    }

    /// <summary>The sender of a multicast port, or one of its receivers, has come or gone.</summary>
    internal void RingAll(MulticastRecord port)
    {
        RingBoth(port.Port);
        for (ulong left = Volatile.Read(ref port.Watchers); left != 0; left &= left - 1)
            OfWaiter(BitOperations.TrailingZeroCount(left)).RingAlways();
    }

    /// <summary>One end of a port has changed its owner.</summary>
    internal void RingBoth(PortRecord port)
    {
        port.Data.RingAlways();
        port.Space.RingAlways();
        if (port.ReceiverEnd.Slot is >= 0 and int receiver)
            OfWaiter(receiver).RingAlways();
        if (port.SenderEnd.Slot is >= 0 and int sender)
            OfWaiter(sender).RingAlways();
    }
}
