using System.Runtime.CompilerServices;

namespace BigPile.Allocation;

/// <summary>A slot or run that was allocated: the caller writes the payload behind the header, then publishes the header.</summary>
internal readonly unsafe struct Slot(byte* start, ulong address, uint generation, long capacityBytes)
{
    internal readonly byte* Start = start;
    internal readonly ulong Address = address;
    internal readonly uint Generation = generation;

    /// <summary>The most bytes of a payload.</summary>
    internal readonly long CapacityBytes = capacityBytes;

    internal bool IsNone => Start == null;

    /// <summary>The pointer to the block once it is published.</summary>
    internal PilePointer Pointer
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // a call would keep the slot in memory instead of registers, on each put
        get => new(Address, Generation);
    }
}
