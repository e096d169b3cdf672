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

/// <summary>The state of a slot. Only the lock of its byte tells whether the process lives.</summary>
internal static class SlotState
{
    /// <summary>No process has it, and no object has its bit.</summary>
    internal const int Free = 0;

    /// <summary>A process has it, or had it and died.</summary>
    internal const int Active = 1;

    /// <summary>Its process is gone; objects that it sent are still to be received.</summary>
    internal const int Abandoned = 2;

    /// <summary>Whether a state may follow another one, for assertions and tests. Anything may follow what no process has stored.</summary>
    internal static bool MayBecome(int before, int after) => before switch
    {
        Free => after == Active,
        Active or Abandoned => after is Free or Abandoned,
        _ => true,
    };
}
