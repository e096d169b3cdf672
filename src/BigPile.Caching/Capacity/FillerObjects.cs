using System;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Tables;

namespace BigPile.Caching.Capacity;

/// <summary>Objects that only take space, to which tables need not give way. For tests of applications.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal static class FillerObjects
{
    /// <summary>Puts an object if it fits. The caller is outside of critical regions.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="payload">What the object holds.</param>
    /// <param name="evicts">Whether tables give way to it.</param>
    /// <param name="pointer">The object.</param>
    /// <returns><see langword="false"/> when the pile is full.</returns>
    internal static bool TryPut(Pile pile, ReadOnlySpan<byte> payload, bool evicts, out PilePointer pointer)
    {
        TableHeap heap = pile.Tables;
        var attempts = default(ReclaimAttempts);
        PileException? failure;
        do
        {
            if (TryPut(heap, payload, out pointer, out failure))
                return true;
        }
        while (heap.TryReclaim(failure!, ref attempts, evicts, isPut: false)); // outside of the region: a flush waits for all writers
        return failure is PileFullException ? false : throw failure!;
    }

    private static bool TryPut(TableHeap heap, ReadOnlySpan<byte> payload, out PilePointer pointer, out PileException? failure)
    {
        using ChangeScope scope = heap.EnterWriter();
        Slot slot = heap.FillObject(scope.Critical, payload, out failure);
        pointer = default;
        if (failure != null)
            return false;
        heap.PublishObject(slot, BlockKind.Bytes, payload.Length);
        pointer = slot.Pointer;
        return true;
    }
}
