using System.Runtime.CompilerServices;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>What an arena knows of a process that has it open.</summary>
internal readonly unsafe struct SlotRecord(byte* at)
{
    internal const long Bytes = 320; // five lines: the state, and two doorbells of two

    /// <summary>A <see cref="SlotState"/>.</summary>
    internal ref int State => ref Unsafe.AsRef<int>(at);

    /// <summary>By which others wake the process to look for what it can give back.</summary>
    internal WakeEvent Reclaimer => new(at + 64);

    /// <summary>By which the process waits for several ports at once.</summary>
    internal WakeEvent Waiter => new(at + 192);
}
