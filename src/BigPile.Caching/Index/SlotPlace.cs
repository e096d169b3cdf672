using System.Diagnostics;
using System.Runtime.CompilerServices;

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

    internal IndexSlot Value => Bucket.Load(Line, Slot);

    internal void Store(IndexSlot value) => Bucket.Store(Line, Slot, value);
}
