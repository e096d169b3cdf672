using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Allocation;

/// <summary>What is flushed, and what changed since.</summary>
internal unsafe partial struct PageMeta
{
    // Slots that were freed since the snapshot of BitsSnapshot: pending ones if they are flushed.
    private readonly Span<ulong> FreedBits => new(FreeBits + WordCount, WordCount);

    // Slots that were not flushed, and taken or freed, before that snapshot, and that no flush has taken.
    private readonly Span<ulong> ChangedBits => new(FreeBits + 2 * WordCount, WordCount);

    // Pending slots that were freed before that snapshot, and that no flush has taken.
    private readonly Span<ulong> PendingBits => new(FreeBits + 3 * WordCount, WordCount);

    /// <summary>Whether a slot may hold a flushed block; if others may free it, the answer is valid if it is live afterwards.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="snapshot">The number of the last snapshot; the caller is in a critical region, or has the lock.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsFlushed(int slot, int snapshot) =>
        // Acquire: pairs with BringUpTo. A live block of a page that is not up to the snapshot was there at it.
        FlushedBits != null && (Volatile.Read(in BitsSnapshot) != snapshot || (FlushedBits[slot >> 6] >> slot & 1) != 0);

    /// <summary>As <see cref="IsFlushed"/>, of the run that begins with the page.</summary>
    internal readonly bool IsFlushedRun(int snapshot) => Volatile.Read(in BitsSnapshot) != snapshot || IsRunFlushed;

    /// <summary>Brings the bits up to a snapshot: nothing was taken or freed since it.</summary>
    internal void BringUpTo(int snapshot)
    {
        if (BitsSnapshot == snapshot)
            return;
        for (int word = 0; word < WordCount && FlushedBits != null; word++)
        {
            ulong taken = ~FreeBits[word] & MaskOf(word);
            ulong flushed = FlushedBits[word];
            ChangedBits[word] |= (taken | FreedBits[word]) & ~flushed;
            PendingBits[word] |= FreedBits[word] & flushed;
            FreedBits[word] = 0;
            FlushedBits[word] = taken;
        }
        IsRunFlushed = true; // of a page that is no run's, until one is laid out
        Volatile.Write(ref BitsSnapshot, snapshot); // release: who reads this number finds its bits
    }

    /// <summary>Marks every slot that is not free as flushed.</summary>
    internal void MarkFlushed()
    {
        Debug.Assert(FlushedBits != null || SlotCount == 0, "The page has no flushed bits.");
        for (int word = 0; word < WordCount; word++)
            FlushedBits[word] = ~FreeBits[word] & MaskOf(word);
    }

    /// <summary>Clears a slot's flushed bit, as its deletion is durable, unless the slot itself is pending.</summary>
    internal void ClearFlushed(int slot)
    {
        Debug.Assert(!IsFree(slot), "A free slot was flushed.");
        FlushedBits[slot >> 6] &= ~(1UL << slot) | FreedBits[slot >> 6];
    }

    /// <summary>Records that a slot was freed since the last snapshot, up to which the bits are.</summary>
    /// <returns>Whether it is flushed, and so pending instead of free.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool AddFreed(int slot)
    {
        if (FlushedBits == null)
            return false;
        Debug.Assert(!IsFree(slot), "A slot is freed twice.");
        ulong bit = 1UL << slot;
        bool isFlushed = (FlushedBits[slot >> 6] & bit) != 0;
        Debug.Assert(!isFlushed || (FreedBits[slot >> 6] & bit) == 0, "A pending slot is freed again.");
        FreedBits[slot >> 6] |= bit;
        if (isFlushed)
            PendingFreeCount++;
        return isFlushed;
    }

    /// <summary>Adds a slot that was found pending when the page was recovered.</summary>
    internal void AddFoundPending(int slot)
    {
        FlushedBits[slot >> 6] |= 1UL << slot;
        _ = AddFreed(slot);
    }

    /// <summary>Takes the slots that changed before the snapshot that the bits are up to.</summary>
    /// <param name="changed">Gets those that were not flushed before.</param>
    /// <param name="pending">Gets those that were, and are freed.</param>
    /// <param name="flushed">Gets those that were not free at the snapshot.</param>
    internal readonly void TakeChanges(Span<ulong> changed, Span<ulong> pending, Span<ulong> flushed)
    {
        ChangedBits.CopyTo(changed);
        ChangedBits.Clear();
        PendingBits.CopyTo(pending);
        PendingBits.Clear();
        new ReadOnlySpan<ulong>(FlushedBits, WordCount).CopyTo(flushed);
    }

    /// <summary>Frees pending slots whose deletion is durable.</summary>
    /// <param name="released">The slots, as bits.</param>
    /// <param name="exhausted">Those of them whose generation is exhausted.</param>
    internal void Release(ReadOnlySpan<ulong> released, ReadOnlySpan<ulong> exhausted)
    {
        Debug.Assert(released.Length == WordCount && exhausted.Length == WordCount, "The page was laid out for another class meanwhile.");
        for (int word = 0; word < released.Length; word++)
        {
            ulong free = released[word] & ~exhausted[word];
            Debug.Assert((FreeBits[word] & released[word]) == 0, "A pending slot is free.");
            FlushedBits[word] &= ~released[word];
            FreeBits[word] |= free;
            FreeCount += (ushort)BitOperations.PopCount(free);
            ExhaustedCount += (ushort)BitOperations.PopCount(exhausted[word]);
            PendingFreeCount -= (ushort)BitOperations.PopCount(released[word]);
        }
        Debug.Assert(PendingFreeCount <= SlotCount, "More slots are released than were pending.");
    }
}
