using System.Diagnostics;

namespace BigPile.Ports.Layout;

/// <summary>One end of a port in one word: its state, and the process that owns it, or that owned it and holds what is in flight.</summary>
internal readonly record struct PortEnd(int Word)
{
    private const int StateShift = 8;
    private const int SlotMask = (1 << StateShift) - 1;

    private PortEnd(int state, int slot) : this((state << StateShift) | (slot + 1)) =>
        Debug.Assert(slot is >= -1 and < ArenaShape.Processes, "An end names a slot of the arena, or none.");

    /// <summary>No process has ever owned it.</summary>
    internal static PortEnd Never => default;

    internal bool IsActive => State == 1;

    internal bool WasClosed => State == 2;

    internal bool WasLost => State == 3;

    /// <summary>Whether it was closed or lost, and no process has it again.</summary>
    internal bool IsGone => WasClosed || WasLost;

    /// <summary>The slot of the process; -1 for none, and for invalid values.</summary>
    internal int Slot => (Word & SlotMask) is > 0 and <= ArenaShape.Processes and int slot ? slot - 1 : -1;

    private int State => Word >> StateShift;

    internal static PortEnd Of(int slot) => new(1, slot);

    /// <summary>The same end, closed by its owner.</summary>
    internal PortEnd Closed()
    {
        Debug.Assert(IsActive, "An end is closed by the process that has it.");
        return new PortEnd(2, Slot);
    }

    /// <summary>The same end, after its owner's death.</summary>
    internal PortEnd Lost()
    {
        Debug.Assert(IsActive, "An end is lost with the process that has it.");
        return new PortEnd(3, Slot);
    }

    /// <summary>The same end, without a process.</summary>
    internal PortEnd WithoutSlot()
    {
        Debug.Assert(!IsActive, "An end in use names its process.");
        return new PortEnd(State, -1);
    }

    /// <summary>
    /// Whether this end may follow another one of the same port, for assertions and tests. Anything may follow what no process has stored.
    /// </summary>
    internal bool MayFollow(PortEnd before)
    {
        bool isTaken = IsActive && Slot >= 0;
        bool keepsOrLosesSlot = Slot == before.Slot || Slot < 0;
        return before.State switch
        {
            0 => isTaken || before != Never,
            1 => IsGone && keepsOrLosesSlot,
            2 or 3 => isTaken || (State == before.State && keepsOrLosesSlot),
            _ => true,
        };
    }
}
