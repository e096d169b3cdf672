using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Checking;

namespace BigPile.Caching.Index;

/// <summary>The position of a slot: its line, and its number in the line.</summary>
internal readonly unsafe struct SlotPlace
{
    private readonly long _slot; // register-sized: stored and loaded again as one

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SlotPlace(Bucket* line, int slot)
    {
        Debug.Assert((uint)slot < Bucket.SlotCount, "A line has seven slots.");
        Line = line;
        _slot = slot;
    }

    internal Bucket* Line { get; }

    internal int Slot => (int)_slot;

    internal bool IsAt(SlotPlace other) => Line == other.Line && _slot == other._slot;

    /// <summary>What the slot holds. Acquire.</summary>
    internal IndexSlot Value => Bucket.Load(Line, Slot);

    /// <summary>Whether the slot holds what was loaded before, after all reads of the block that it leads to.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsStill(IndexSlot loaded)
    {
        if (Mutation.IndexSlotNotLoadedAgain)
            return true;
        Volatile.ReadBarrier(); // pairs with the slot's store in Upsert.Swap
        return Value.Word == loaded.Word;
    }

    /// <summary>Counts a use of the slot's entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CountUse() => Line->CountUse(Slot);

    /// <summary>Release.</summary>
    internal void Store(IndexSlot value) => Bucket.Store(Line, Slot, value);
}
