using System.Runtime.CompilerServices;

namespace BigPile.Allocation;

/// <summary>A slot that was taken for a block: the caller writes the payload behind the header, then publishes the header.</summary>
internal readonly unsafe struct Slot(byte* start, ulong address, uint generation, long capacityBytes)
{
    internal readonly byte* Start = start;
    internal readonly ulong Address = address;
    internal readonly uint Generation = generation;

    /// <summary>The bytes that a payload may have.</summary>
    internal readonly long CapacityBytes = capacityBytes;

    internal bool IsNone => Start == null;

    /// <summary>What names the block once it is published.</summary>
    internal PilePointer Pointer
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // a call would have the slot in memory, and every put with it
        get => new(Address, Generation);
    }
}
