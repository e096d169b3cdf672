using System;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>A port for one receiver or for many. Structures implement it: each kind gets code of its own.</summary>
internal unsafe interface IPortRecord<TSelf> where TSelf : struct, IPortRecord<TSelf>
{
    /// <summary>Whether it has many receivers, with a cursor each; <see cref="PortRecord.Taken"/> is their floor then.</summary>
    static abstract bool IsMulticast { get; }

    /// <summary>The number of ports of this kind in an arena.</summary>
    static abstract long CountIn(ArenaShape shape);

    /// <summary>The port of a number.</summary>
    static abstract TSelf At(ArenaShape shape, byte* start, int number);

    /// <summary>The words that both kinds have.</summary>
    PortRecord Port { get; }

    /// <summary>Wakes receivers: there is something.</summary>
    WakeEvent Data { get; }

    /// <summary>The receiver's end; of many receivers always <see cref="PortEnd.Never"/>.</summary>
    PortEnd ReceiverEnd { get; }

    /// <summary>Whether a process receives here, or its end has yet to be released.</summary>
    bool HasReceiver { get; }

    /// <summary>A bit for each slot whose process receives here, and must also be woken by its waiter event.</summary>
    ulong WatchingSlots { get; }

    /// <summary>The number that the slowest receiver receives next. Not validated where there is only one.</summary>
    /// <param name="most">The result if no receiver is slower.</param>
    /// <param name="floor">A lower bound: a receiver at it is the slowest.</param>
    long Slowest(long most, long floor);

    /// <summary>A bit for the slot of each receiver at a number or before it; a single receiver always counts.</summary>
    ulong SlotsUpTo(long number);

    /// <summary>Moves all receivers that are at a number or before it, unless they advance meanwhile.</summary>
    /// <param name="number">The number.</param>
    /// <param name="next">Their new position; of many also <see cref="MemberRecord.CutOff"/>.</param>
    void Pass(long number, long next);

    /// <summary>Checks the receivers of a port in use, for tests.</summary>
    /// <returns>A bit for each slot that receives here.</returns>
    ulong CheckReceivers();

    /// <summary>Initializes the record; the in-use flag is stored last.</summary>
    void Begin(ReadOnlySpan<byte> name, int depth);
}
