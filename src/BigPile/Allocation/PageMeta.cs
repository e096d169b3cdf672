using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Allocation;

/// <summary>The allocator's own record of a page, in process memory: which slots are free, and whose page it is.</summary>
/// <remarks>
/// Invariants while the page holds slots: a set bit is a free slot whose header says free and whose generation may still be given out;
/// <see cref="FreeCount"/> is the number of set bits; <see cref="MaxGeneration"/> is at least the generation in each slot's header.
/// In a mapped pile a slot is frozen if it was not free when a flush last looked; so a free one is not. A frozen slot that was freed is in
/// quarantine, counted in <see cref="QuarantinedCount"/>, and neither free nor live until a flush has made its end durable.
/// All members are read and written under the owner's lock, or the pool's while no heap owns the page; <see cref="Owner"/> alone is
/// read without, and checked again under the lock.
/// </remarks>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal unsafe struct PageMeta
{
    /// <summary>Two cache lines, which the processor fetches as a pair: neighbours belong to heaps of different processors.</summary>
    internal const int SizeBytes = 128;

    internal const int NoOwner = -1;

    private const int LineBytes = 64;

    internal byte* Start;
    internal ulong* FreeBits;
    internal PageMeta* Previous;
    internal PageMeta* Next;

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
    internal ushort WornCount;
    internal ushort Cursor;

    /// <summary>Frozen slots that were freed.</summary>
    internal ushort QuarantinedCount;
    internal short SizeClass;
    internal bool IsListed;

    /// <summary>Owned by a heap that has not received it yet: a free must leave it where it is.</summary>
    internal bool IsInTransit;

    /// <summary>Of the first page of a run: whether its block was there when a flush last looked.</summary>
    internal bool IsRunFrozen;

    /// <summary>Whether it is known of each slot whether it is frozen.</summary>
    internal bool KnowsFrozen;

    internal readonly bool IsEmpty => FreeCount == SlotCount;

    internal readonly ulong FirstAddress => (ulong)PageNumber * (SizeClasses.PageBytes / SizeClasses.GranuleBytes);

    private readonly int WordCount => (SlotCount + 63) / 64;

    /// <summary>The bytes of the free bits of the page, and of the frozen ones.</summary>
    internal readonly long FreeBitsBytes => BitsBytes(WordCount * (KnowsFrozen ? 2 : 1));

    /// <summary>Takes process memory for the free bits, and states all slots free or none.</summary>
    internal void LayOut(int sizeClass, bool allFree, bool knowsFrozen)
    {
        KnowsFrozen = knowsFrozen;
        SizeClass = (short)sizeClass;
        SlotBytes = SizeClasses.SlotBytes(sizeClass);
        SlotCount = (ushort)(SizeClasses.PageBytes / SlotBytes);
        WornCount = 0;
        GenerationFloor = 0;
        Cursor = 0;
        FreeBits = (ulong*)NativeMemory.AlignedAlloc((nuint)FreeBitsBytes, LineBytes);
        NativeMemory.Clear(FreeBits, (nuint)FreeBitsBytes);
        FreeCount = 0;
        QuarantinedCount = 0;
        if (allFree)
            SetAllFree();
    }

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
        return word * 64 + BitOperations.TrailingZeroCount(bits);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ReturnSlot(int slot)
    {
        FreeBits[slot >> 6] |= 1UL << slot;
        FreeCount++;
    }

    internal readonly bool IsFree(int slot) => (FreeBits[slot >> 6] >> slot & 1) != 0;

    /// <summary>Whether a slot may hold something that was flushed.</summary>
    internal readonly bool IsFrozen(int slot) => KnowsFrozen && (FreeBits[WordCount + (slot >> 6)] >> slot & 1) != 0;

    /// <summary>Freezes every slot that is not free.</summary>
    internal void Freeze()
    {
        int count = WordCount;
        for (int word = 0; word < count; word++)
            FreeBits[count + word] = ~FreeBits[word];
    }

    /// <summary>Notes that what a slot held is gone for good.</summary>
    internal void Thaw(int slot)
    {
        Debug.Assert(!IsFree(slot), "A slot that is free was frozen.");
        FreeBits[WordCount + (slot >> 6)] &= ~(1UL << slot);
    }

    private static long BitsBytes(int words) => (words * (long)sizeof(ulong) + LineBytes - 1) / LineBytes * LineBytes;

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
