using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Allocation;

/// <summary>The allocator's own record of a page, in process memory: which slots are free, and whose page it is.</summary>
/// <remarks>
/// Invariants while the page holds slots: a set bit is a free slot whose header says free and whose generation may still be given out;
/// <see cref="FreeCount"/> is the number of set bits; <see cref="MaxGeneration"/> is at least the generation in each slot's header.
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
    internal int SlotBytes;
    internal ushort SlotCount;
    internal ushort FreeCount;
    internal ushort WornCount;
    internal ushort Cursor;
    internal short SizeClass;
    internal bool IsListed;

    /// <summary>Owned by a heap that has not received it yet: a free must leave it where it is.</summary>
    internal bool IsInTransit;

    internal readonly bool IsEmpty => FreeCount == SlotCount;

    internal readonly ulong FirstAddress => (ulong)PageNumber * (SizeClasses.PageBytes / SizeClasses.GranuleBytes);

    private readonly int WordCount => (SlotCount + 63) / 64;

    /// <summary>The bytes of the free bits of a page with that many slots.</summary>
    internal static long FreeBitsBytes(int slotCount) => ((slotCount + 63) / 64 * sizeof(ulong) + LineBytes - 1) / LineBytes * LineBytes;

    /// <summary>Takes process memory for the free bits, and states all slots free or none.</summary>
    internal void LayOut(int sizeClass, bool allFree)
    {
        SizeClass = (short)sizeClass;
        SlotBytes = SizeClasses.SlotBytes(sizeClass);
        SlotCount = (ushort)(SizeClasses.PageBytes / SlotBytes);
        WornCount = 0;
        Cursor = 0;
        FreeBits = (ulong*)NativeMemory.AlignedAlloc((nuint)FreeBitsBytes(SlotCount), LineBytes);
        new Span<ulong>(FreeBits, WordCount).Clear();
        FreeCount = 0;
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
