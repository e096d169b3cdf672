using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>The allocator's own record of a page, in process memory: which slots are free, and whose page it is.</summary>
/// <remarks>
/// Invariants while the page holds slots: a set bit is a free slot whose header says free and whose generation may still be given out;
/// <see cref="FreeCount"/> is the number of set bits; <see cref="MaxGeneration"/> is at least the generation in each slot's header.
/// In a mapped pile a slot is frozen if it was not free when a flush last looked; so a free one is not. A frozen slot that was freed is in
/// quarantine, counted in <see cref="PendingFreeCount"/>, and neither free nor live until a flush has made its end durable; until a flush
/// has taken it, it has a bit behind the free ones.
/// All members are read and written under the owner's lock, or the pool's while no heap owns the page. Without it are read
/// <see cref="Owner"/>, which is checked again under the lock, and <see cref="FlushedBits"/>, which stay where they are for as long as the
/// segment does: the bit of a slot does not change while its block lives and its reader is inside the pile.
/// </remarks>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal unsafe partial struct PageMeta
{
    /// <summary>Two cache lines, which the processor fetches as a pair: neighbours belong to heaps of different processors.</summary>
    internal const int SizeBytes = 128;

    internal const int NoOwner = -1;

    /// <summary>The words of a bit for each slot, of slots of the smallest size.</summary>
    internal const int MostBitWords = SizeClasses.PageBytes / SizeClasses.MinSlotBytes / 64;

    private const int LineBytes = 64;

    internal byte* Start;
    internal ulong* FreeBits;

    /// <summary>Which slots may hold something that was flushed; null where nobody has to know.</summary>
    internal ulong* FlushedBits;

    /// <summary>The page's number within the pile: its address divided by a page's units.</summary>
    internal int PageNumber;
    internal int Owner;
    internal uint MaxGeneration;

    /// <summary>
    /// The lowest generation that a slot may be given out with. Of a page that was found: above those of all its free slots, since one may
    /// have been given out, and pointed to, by an owner that died before anything in the slot said so.
    /// </summary>
    internal uint GenerationFloor;
    internal int SlotBytes;
    internal ushort SlotCount;
    internal ushort FreeCount;
    internal ushort RetiredCount;
    internal ushort Cursor;

    /// <summary>Frozen slots that were freed.</summary>
    internal ushort PendingFreeCount;
    internal short SizeClass;
    internal bool IsListed;

    /// <summary>Owned by a heap that has not received it yet: a free must leave it where it is, and uncounted.</summary>
    internal bool IsInTransit;

    /// <summary>Of the first page of a run: whether its block was there when a flush last looked.</summary>
    internal bool IsRunFlushed;

    /// <summary>Whether slots went into quarantine that no flush has taken.</summary>
    internal bool HasNewPendingFrees;

    internal PageMeta* Previous;
    internal PageMeta* Next;

    internal readonly bool IsEmpty => FreeCount == SlotCount;

    /// <summary>The memory of a slot.</summary>
    internal readonly byte* BlockAt(int slot) => Start + slot * SlotBytes;

    internal readonly ulong FirstAddress => (ulong)PageNumber * (SizeClasses.PageBytes / SizeClasses.GranuleBytes);

    /// <summary>The 64-bit words that hold a bit for each slot.</summary>
    internal readonly int WordCount => (SlotCount + 63) / 64;

    /// <summary>The bytes that are in use of the page's bits.</summary>
    internal readonly long BitsBytes => OwnBitsBytes + (FlushedBits == null ? 0 : WordCount * sizeof(ulong));

    // Free bits, and behind them those of the quarantine.
    private readonly long OwnBitsBytes => RoundToLines(WordCount * (FlushedBits == null ? 1 : 2) * sizeof(ulong));

    private readonly Span<ulong> PendingFreeBits => new(FreeBits + WordCount, WordCount);

    /// <summary>Takes process memory for the free bits, and states all slots free or none.</summary>
    internal void LayOut(int sizeClass, bool allFree)
    {
        Debug.Assert(FreeBits == null, "The page is laid out already.");
        Debug.Assert((nuint)Start % LineBytes == 0, "A page begins with a cache line.");
        SizeClass = (short)sizeClass;
        SlotBytes = SizeClasses.SlotBytes(sizeClass);
        SlotCount = (ushort)(SizeClasses.PageBytes / SlotBytes);
        RetiredCount = 0;
        GenerationFloor = 0;
        Cursor = 0;
        FreeBits = (ulong*)NativeMemory.AlignedAlloc((nuint)OwnBitsBytes, LineBytes);
        NativeMemory.Clear(FreeBits, (nuint)OwnBitsBytes);
        if (FlushedBits != null)
            NativeMemory.Clear(FlushedBits, (nuint)WordCount * sizeof(ulong));
        FreeCount = 0;
        PendingFreeCount = 0;
        HasNewPendingFrees = false;
        if (allFree)
            SetAllFree();
    }

    /// <summary>States that the page holds old bytes.</summary>
    /// <remarks>Generation base 0 is a page that was never used: all zero, which is free slots of generation 0.</remarks>
    internal void MarkUsed() => MaxGeneration = Math.Max(MaxGeneration, 1);

    internal void Drop()
    {
        NativeMemory.AlignedFree(FreeBits);
        FreeBits = null;
        SlotCount = 0;
        FreeCount = 0;
    }

    /// <summary>Takes the next free slot in the order of addresses, beginning where the last one was found. There must be one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int TakeSlot()
    {
        Debug.Assert(FreeCount != 0 && Cursor < WordCount, "There is no free slot to take.");
        int word = Cursor;
        ulong bits = FreeBits[word];
        if (bits == 0)
        {
            word = NextWordWithFree(word);
            bits = FreeBits[word];
            Cursor = (ushort)word;
        }
        FreeBits[word] = bits & (bits - 1);
        FreeCount--;
        Debug.Assert(word * 64 + BitOperations.TrailingZeroCount(bits) < SlotCount, "The bit of no slot.");
        return word * 64 + BitOperations.TrailingZeroCount(bits);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ReturnSlot(int slot)
    {
        Debug.Assert((uint)slot < SlotCount && !IsFree(slot), "A slot comes back that was free.");
        FreeBits[slot >> 6] |= 1UL << slot;
        FreeCount++;
        Debug.Assert(FreeCount + RetiredCount + PendingFreeCount <= SlotCount, "More slots than the page has.");
    }

    internal readonly bool IsFree(int slot) => (FreeBits[slot >> 6] >> slot & 1) != 0;

    /// <summary>Whether a slot may hold something that was flushed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsFlushed(int slot) => FlushedBits != null && (FlushedBits[slot >> 6] >> slot & 1) != 0;

    /// <summary>Freezes every slot that is not free.</summary>
    internal void MarkFlushed()
    {
        Debug.Assert(FlushedBits != null || SlotCount == 0, "Nobody knows what is frozen here.");
        for (int word = 0; word < WordCount; word++)
            FlushedBits[word] = ~FreeBits[word];
    }

    /// <summary>Notes that what a slot held is gone for good.</summary>
    internal void ClearFlushed(int slot)
    {
        Debug.Assert(!IsFree(slot), "A slot that is free was frozen.");
        FlushedBits[slot >> 6] &= ~(1UL << slot);
    }

    /// <summary>Puts a slot that was freed, and is frozen, into quarantine.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void AddPendingFree(int slot)
    {
        Debug.Assert(FlushedBits != null && !IsFree(slot) && (PendingFreeBits[slot >> 6] >> slot & 1) == 0, "A slot is freed twice.");
        FreeBits[WordCount + (slot >> 6)] |= 1UL << slot;
        PendingFreeCount++;
    }

    /// <summary>Takes the bits of the slots that went into quarantine since the last call.</summary>
    internal void TakePendingFrees(Span<ulong> bits)
    {
        PendingFreeBits.CopyTo(bits);
        PendingFreeBits.Clear();
        HasNewPendingFrees = false;
    }

    /// <summary>Lets slots out of quarantine.</summary>
    /// <param name="released">The slots.</param>
    /// <param name="retired">Those of them that are never given out again.</param>
    internal void Release(ReadOnlySpan<ulong> released, ReadOnlySpan<ulong> retired)
    {
        Debug.Assert(released.Length == WordCount && retired.Length == WordCount, "The page was laid out for another class meanwhile.");
        for (int word = 0; word < released.Length; word++)
        {
            ulong free = released[word] & ~retired[word];
            Debug.Assert((FreeBits[word] & released[word]) == 0, "A slot in quarantine is not free.");
            FlushedBits[word] &= ~released[word];
            FreeBits[word] |= free;
            FreeCount += (ushort)BitOperations.PopCount(free);
            RetiredCount += (ushort)BitOperations.PopCount(retired[word]);
            PendingFreeCount -= (ushort)BitOperations.PopCount(released[word]);
        }
        Debug.Assert(PendingFreeCount <= SlotCount, "More slots are released than went into quarantine.");
    }

    private static long RoundToLines(long bytes) => (bytes + LineBytes - 1) / LineBytes * LineBytes;

    private readonly int NextWordWithFree(int word)
    {
        int count = WordCount;
        do
        {
            if (++word == count)
                word = 0;
        }
        while (FreeBits[word] == 0);
        return word;
    }

    private void SetAllFree()
    {
        var words = new Span<ulong>(FreeBits, WordCount);
        words.Fill(ulong.MaxValue);
        int rest = SlotCount % 64;
        if (rest != 0)
            words[^1] = (1UL << rest) - 1;
        FreeCount = SlotCount;
    }
}
