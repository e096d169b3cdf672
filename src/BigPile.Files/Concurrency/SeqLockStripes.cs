using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Files.Concurrency;

/// <summary>Locks and sequence counters of a file's blocks, one word serving many blocks, that make each operation seen whole.</summary>
/// <remarks>
/// A writer locks the stripes of all blocks that it touches, in ascending order, by making their words odd, and makes them even again when
/// its bytes are there. A reader takes no lock: it notes the words of all stripes first, and looks at all of them once more when it has
/// its bytes. If none was odd or is another now, there was an instant between at which all of the bytes were in the file together. The
/// words have 64 bits, so none comes round while a reader sleeps.
/// </remarks>
internal sealed class SeqLockStripes
{
    private const int BlockShift = 12;
    private const int BlockBytes = 1 << BlockShift;

    /// <summary>A reader of more stripes takes their locks.</summary>
    internal const int MaxOptimistic = 16;

    private const int WordsApart = 8; // a cache line
    private const int MinCount = 256;
    private const int MaxCount = 4096;
    private const int StripesPerProcessor = 64;

    private readonly long[] _words = GC.AllocateArray<long>(Count * WordsApart, pinned: true);

    private static int Count { get; } =
        (int)Math.Clamp(BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * StripesPerProcessor)), MinCount, MaxCount);

    /// <summary>The stripes of some bytes, of which there is at least one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Range Of(long offset, long length)
    {
        long first = offset >> BlockShift;
        long count = ((offset + length - 1) >> BlockShift) - first + 1;
        return new Range((int)(first & (Count - 1)), (int)Math.Min(count, Count));
    }

    /// <summary>All stripes.</summary>
    internal static Range All => new(0, Count);

    /// <summary>Whether some bytes, and not none, are all in one block that a file can have.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsOneBlock(long offset, int length) =>
        (ulong)(offset & (BlockBytes - 1)) + (uint)(length - 1) < BlockBytes && offset >= 0; // none less one is very many

    /// <summary>The word of an offset's block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref long WordOf(long offset) => ref Word((int)(offset >> BlockShift));

    /// <summary>Notes the words; <see langword="false"/> while one is locked.</summary>
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

    /// <summary>Whether no word has changed since it was noted. Pairs with <see cref="Lock"/>.</summary>
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

    /// <summary>Locks stripes, for as long as no other lock of stripes is held by the calling thread.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Lock(Range range)
    {
        if (range.Count == 1)
            LockOne(ref Word(range.First));
        else
            LockAscending(range);
    }

    /// <summary>Unlocks what <see cref="Lock"/> locked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Unlock(Range range)
    {
        for (int i = 0; i < range.Count; i++)
            UnlockOne(ref Word(range.First + i));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void UnlockOne(ref long word) => Volatile.Write(ref word, word + 1);

    // In the order of the words, and not of the blocks: else two that come round the end would wait for each other.
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
        // a full fence: the odd word is out before the first byte changes
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

    /// <summary>Some stripes in a row, round the end.</summary>
    internal readonly record struct Range(int First, int Count);
}
