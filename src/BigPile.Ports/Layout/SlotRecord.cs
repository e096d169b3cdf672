using System.Runtime.CompilerServices;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>The state of one process that has the arena open.</summary>
internal readonly unsafe struct SlotRecord(byte* at)
{
    internal const long Bytes = 320; // five lines: the state, and two wake events of two lines each

    /// <summary>A <see cref="SlotState"/>. Written by the process that has locked the slot's byte.</summary>
    internal ref int State => ref Unsafe.AsRef<int>(at);

    /// <summary>Other processes set it to make this process release what was received.</summary>
    internal WakeEvent Reclaimer => new(at + 64);

    /// <summary>The process waits on it for several ports at once.</summary>
    internal WakeEvent Waiter => new(at + 192);
}
