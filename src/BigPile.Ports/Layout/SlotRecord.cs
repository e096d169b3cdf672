using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>The state of one process that has the arena open.</summary>
internal readonly unsafe struct SlotRecord(byte* at)
{
    internal const long Bytes = 320; // five lines: the state, and two wake events of two lines each

    /// <summary>A <see cref="SlotState"/>.</summary>
    internal int State => Volatile.Read(ref StateWord);

    /// <summary>Other processes set it to make this process release what was received.</summary>
    internal WakeEvent Reclaimer => new(at + 64);

    /// <summary>The process waits on it for several ports at once.</summary>
    internal WakeEvent Waiter => new(at + 192);

    private ref int StateWord => ref Unsafe.AsRef<int>(at);

    /// <summary>Changes the state. The process has locked the slot's byte.</summary>
    internal void Change(int before, int after)
    {
        Debug.Assert(SlotState.MayBecome(before, after), "A slot is taken while it is free, and freed or abandoned only after that.");
        Volatile.Write(ref StateWord, after);
    }
}
