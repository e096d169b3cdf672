using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Files.Concurrency;

/// <summary>Sequence locks of a file's blocks, one word for many blocks. They make each operation atomic.</summary>
/// <remarks>
/// A writer locks the stripes of all blocks that it touches, in ascending order, by making their words odd; it makes them even again after
/// its last byte. A reader takes no lock: it reads the words of all stripes before and after. If none was odd, and none has changed, all of
/// its bytes were in the file together at one instant. The words have 64 bits, so they do not wrap while a reader is delayed.
/// </remarks>
internal sealed class SeqLockStripes
{
    private const int BlockShift = 12;
    private const int BlockBytes = 1 << BlockShift;

    /// <summary>A reader of more stripes than this locks them.</summary>
    internal const int MaxOptimistic = 16;

    private const int WordsApart = 8; // a cache line
    private const int MinCount = 256;
    private const int MaxCount = 4096;
    private const int StripesPerProcessor = 64;

    // Sequence words, one per cache line: odd while locked. Only the lock's owner makes a word even.
    private readonly long[] _words = GC.AllocateArray<long>(Count * WordsApart, pinned: true);

    private static int Count { get; } =
        (int)Math.Clamp(BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * StripesPerProcessor)), MinCount, MaxCount);

    /// <summary>The stripes of a range of at least one byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Range Of(long offset, long length)
    {
        long first = offset >> BlockShift;
        long count = ((offset + length - 1) >> BlockShift) - first + 1;
        return new Range((int)(first & (Count - 1)), (int)Math.Min(count, Count));
    }

    /// <summary>All stripes.</summary>
    internal static Range All => new(0, Count);

    /// <summary>Whether a range is not empty, and lies in one block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsOneBlock(long offset, int length) =>
        (ulong)(offset & (BlockBytes - 1)) + (uint)(length - 1) < BlockBytes && offset >= 0; // an empty range: 0 - 1 is huge

    /// <summary>The sequence word of the block at an offset.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref long WordOf(long offset) => ref Word((int)(offset >> BlockShift));

    /// <summary>Reads the words of a range; <see langword="false"/> if one is locked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryBeginRead(Range range, ref long seen)
    {
        for (int i = 0; i < range.Count; i++)
        {
            long word = Volatile.Read(ref Word(range.First + i));
            if ((word & 1) != 0)
                return false;
            Unsafe.Add(ref seen, i) = word;
        }
        return true;
    }

    /// <summary>
    /// Whether no word has changed since <see cref="TryBeginRead"/>. The barrier pairs with the full fence of <see cref="Lock"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool AreUnchanged(Range range, ref long seen)
    {
        Volatile.ReadBarrier();
        for (int i = 0; i < range.Count; i++)
        {
            if (Volatile.Read(ref Word(range.First + i)) != Unsafe.Add(ref seen, i))
                return false;
        }
        return true;
    }

    /// <summary>Locks stripes. The calling thread must hold no other stripes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Lock(Range range)
    {
        if (range.Count == 1)
            LockOne(ref Word(range.First));
        else
            LockAscending(range);
    }

    /// <summary>Unlocks the stripes that <see cref="Lock"/> locked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Unlock(Range range)
    {
        for (int i = 0; i < range.Count; i++)
            UnlockOne(ref Word(range.First + i));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void UnlockOne(ref long word) => Volatile.Write(ref word, word + 1);

    // Ascending by word, not by block: otherwise two ranges that wrap around could deadlock.
    private void LockAscending(Range range)
    {
        int wrapped = Math.Max(range.First + range.Count - Count, 0);
        for (int i = 0; i < wrapped; i++)
            LockOne(ref Word(i));
        for (int i = range.First; i < range.First + range.Count - wrapped; i++)
            LockOne(ref Word(i));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void LockOne(ref long word)
    {
        long seen = word;
        // full fence: the odd word is visible before the first byte changes
        if ((seen & 1) != 0 || Interlocked.CompareExchange(ref word, seen + 1, seen) != seen)
            WaitForOne(ref word);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WaitForOne(ref long word)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            long seen = Volatile.Read(ref word);
            if ((seen & 1) == 0 && Interlocked.CompareExchange(ref word, seen + 1, seen) == seen)
                return;
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref long Word(int index) =>
        ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_words), (index & (Count - 1)) * WordsApart);

    /// <summary>Consecutive stripes, which may wrap around.</summary>
    internal readonly record struct Range(int First, int Count);
}
