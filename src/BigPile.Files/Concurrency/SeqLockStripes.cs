using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Memory.Concurrency;

namespace BigPile.Files.Concurrency;

/// <summary>Sequence locks of a file's blocks, one for many blocks. They make each operation atomic.</summary>
/// <remarks>
/// A writer locks the stripes of all blocks that it touches, in ascending order. A reader reads the sequences of all stripes before and
/// after. If none was odd, and none has changed, all of its bytes were in the file together at one instant.
/// </remarks>
internal sealed class SeqLockStripes
{
    private const int BlockShift = 12;
    private const int BlockBytes = 1 << BlockShift;

    /// <summary>A reader of more stripes than this locks them.</summary>
    internal const int MaxOptimistic = 16;

    private readonly Stripe[] _stripes = GC.AllocateArray<Stripe>(Count, pinned: true);

    private static int Count { get; } = StripeCount.Default;

    /// <summary>The stripes of a range of at least one byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Range Of(long offset, long length)
    {
        long first = offset >> BlockShift;
        long count = ((offset + length - 1) >> BlockShift) - first + 1;
        return new Range((int)(first & (Count - 1)), (int)Math.Min(count, Count));
    }

    internal static Range All => new(0, Count);

    /// <summary>Whether a range is not empty, and lies in one block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsOneBlock(long offset, int length) =>
        (ulong)(offset & (BlockBytes - 1)) + (uint)(length - 1) < BlockBytes && offset >= 0; // an empty range: 0 - 1 is huge

    /// <summary>The lock of the block at an offset.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref SequenceLock LockOf(long offset) => ref LockAt((int)(offset >> BlockShift));

    /// <summary>Reads the sequences of a range; <see langword="false"/> if one is odd.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryBeginRead(Range range, ref ulong seen)
    {
        for (int i = 0; i < range.Count; i++)
        {
            ulong sequence = LockAt(range.First + i).Sequence;
            if (SequenceLock.IsOdd(sequence))
                return false;
            Unsafe.Add(ref seen, i) = sequence;
        }
        return true;
    }

    /// <summary>Whether no sequence has changed since <see cref="TryBeginRead"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool AreUnchanged(Range range, ref ulong seen)
    {
        for (int i = 0; i < range.Count; i++)
        {
            if (!LockAt(range.First + i).IsUnchanged(Unsafe.Add(ref seen, i)))
                return false;
        }
        return true;
    }

    /// <summary>Locks stripes. The calling thread must hold no other stripes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Lock(Range range)
    {
        if (range.Count == 1)
            LockOne(ref LockAt(range.First));
        else
            LockAscending(range);
    }

    /// <summary>Unlocks the stripes that <see cref="Lock"/> locked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Unlock(Range range)
    {
        for (int i = 0; i < range.Count; i++)
            UnlockOne(ref LockAt(range.First + i));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void LockOne(ref SequenceLock stripe)
    {
        stripe.Enter();
        stripe.BeginChange();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void UnlockOne(ref SequenceLock stripe)
    {
        stripe.EndChange();
        stripe.Exit();
    }

    // Ascending by stripe, not by block: otherwise two ranges that wrap around could deadlock.
    private void LockAscending(Range range)
    {
        int wrapped = Math.Max(range.First + range.Count - Count, 0);
        for (int i = 0; i < wrapped; i++)
            LockOne(ref LockAt(i));
        for (int i = range.First; i < range.First + range.Count - wrapped; i++)
            LockOne(ref LockAt(i));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref SequenceLock LockAt(int index) =>
        ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_stripes), index & (Count - 1)).Lock;

    /// <summary>Consecutive stripes, which may wrap around.</summary>
    internal readonly record struct Range(int First, int Count);

    /// <summary>A lock in a cache line of its own.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    private struct Stripe
    {
        internal SequenceLock Lock;
    }
}
