using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Checking;

namespace BigPile.Caching.Index;

/// <summary>A slot of a bucket line, by its address: lines are aligned to their size, so the address gives the line as well.</summary>
internal readonly unsafe struct SlotPlace
{
    private readonly ulong* _at;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SlotPlace(Bucket* line, int slot)
    {
        Debug.Assert((uint)slot < Bucket.SlotCount, "A line has seven slots.");
        Debug.Assert((nuint)line % Bucket.SizeBytes == 0, "The address of a slot gives its line.");
        _at = Bucket.SlotAt(line, slot);
    }

    /// <summary>The line; null for no place.</summary>
    internal Bucket* Line => (Bucket*)((nuint)_at & ~(nuint)(Bucket.SizeBytes - 1));

    internal int Slot => Bucket.NumberOf(Line, _at);

    /// <summary>What the slot holds. Acquire.</summary>
    internal IndexSlot Value
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => new(Volatile.Read(ref *_at));
    }

    internal int Frequency => Line->Frequency(Slot);

    internal bool IsInMain => Line->IsInMain(Slot);

    internal bool IsAt(SlotPlace other) => _at == other._at;

    /// <summary>Whether the slot holds what was loaded before, after all reads of the block that it leads to.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsStill(IndexSlot loaded)
    {
        if (Mutation.IndexSlotNotLoadedAgain)
            return true;
        Volatile.ReadBarrier(); // pairs with the slot's store in Upsert.Swap
        return Volatile.Read(ref *_at) == loaded.Word;
    }

    /// <summary>Counts a use of the slot's entry: plain stores, of which one may be lost.</summary>
    internal void CountUse() => Line->CountUse(Slot);

    internal void SetFrequency(int frequency) => Line->SetFrequency(Slot, frequency);

    internal void SetInMain(bool isInMain) => Line->SetInMain(Slot, isInMain);

    /// <summary>Release. The bucket's lock is held.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Store(IndexSlot value) => Volatile.Write(ref *_at, value.Word);
}
