namespace BigPile.Ports.Layout;

/// <summary>One end of a port in one word: its state, and the process that owns it, or that owned it and holds what is in flight.</summary>
internal readonly record struct PortEnd(int Word)
{
    private const int StateShift = 8;
    private const int SlotMask = (1 << StateShift) - 1;

    private PortEnd(int state, int slot) : this((state << StateShift) | (slot + 1))
    {
    }

    /// <summary>No process has ever owned it.</summary>
    internal static PortEnd Never => default;

    internal bool IsActive => State == 1;

    internal bool WasClosed => State == 2;

    internal bool WasLost => State == 3;

    /// <summary>The slot of the process; -1 for none, and for invalid values.</summary>
    internal int Slot => (Word & SlotMask) is > 0 and <= ArenaShape.Processes and int slot ? slot - 1 : -1;

    private int State => Word >> StateShift;

    internal static PortEnd Of(int slot) => new(1, slot);

    /// <summary>The same end, closed by its owner.</summary>
    internal PortEnd Closed() => new(2, Slot);

    /// <summary>The same end, after its owner's death.</summary>
    internal PortEnd Lost() => new(3, Slot);

    /// <summary>The same end, without a process.</summary>
    internal PortEnd WithoutSlot() => new(State, -1);
}
