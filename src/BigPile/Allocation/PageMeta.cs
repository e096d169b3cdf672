using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>The allocator's metadata of a page, in process memory: which slots are free, and which heap owns the page.</summary>
/// <remarks>
/// Invariants while the page holds slots: a set free bit is a slot whose header says free and whose generation is not exhausted;
/// <see cref="FreeCount"/> is the number of set bits; <see cref="MaxGeneration"/> is at least the generation in each slot's header.
/// In a mapped pile a slot is flushed if it was not free at the last snapshot, that of the last flush, so a free slot is not flushed. A
/// flushed slot that was freed is pending: neither free nor live until a flush has made its deletion durable. A snapshot touches no page:
/// the first change behind it, or the flush, brings the page's bits up to it (<see cref="BringUpTo"/>).
/// Thread safety: the lock of the owning heap, or the pool's while no heap owns the page. Without a lock are read: <see cref="Owner"/>,
/// which is checked again under the lock; whether a block is flushed (<see cref="IsFlushed"/>, <see cref="IsFlushedRun"/>), which does not
/// change for a live block while the reading thread is in a writer's critical region; and what is constant while the page holds blocks,
/// such as <see cref="SlotBytes"/>.
/// </remarks>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal unsafe partial struct PageMeta
{
    /// <summary>
    /// Two cache lines, which processors fetch as a pair: neighbouring pages may belong to heaps of different processors. What each put and
    /// each free needs is in the first one.
    /// </summary>
    internal const int SizeBytes = 128;

    internal const int NoOwner = -1;

    /// <summary>The most 64-bit words of one bit per slot: for slots of the smallest size.</summary>
    internal const int MostBitWords = SizeClasses.PageBytes / SizeClasses.MinSlotBytes / 64;

    private const int LineBytes = 64;

    /// <summary>The page's memory. Set once.</summary>
    internal byte* Start;

    /// <summary>
    /// One bit per slot: set while it is free. Behind them in a mapped pile three more sets: <see cref="FreedBits"/>,
    /// <see cref="ChangedBits"/> and <see cref="PendingBits"/>. Null while the page holds no slots.
    /// </summary>
    internal ulong* FreeBits;

    /// <summary>
    /// One bit per slot: set if it was not free at the snapshot of <see cref="BitsSnapshot"/>. Null in piles without flushes. The memory
    /// stays as long as the segment.
    /// </summary>
    internal ulong* FlushedBits;

    /// <summary>The page's number within the pile: its first address divided by the units per page. Set once.</summary>
    internal int PageNumber;

    /// <summary>The number of the heap that owns the page, or <see cref="NoOwner"/>. Also read without the lock.</summary>
    internal int Owner;

    /// <summary>At least the highest generation in the headers of its slots, or of its run.</summary>
    internal uint MaxGeneration;

    /// <summary>
    /// The lowest generation to take a slot with; 0 in a new page. In a recovered page it is above all its free slots: the previous owner
    /// may have taken one, and given out its pointer, and died before it stored anything in the slot.
    /// </summary>
    internal uint GenerationFloor;

    /// <summary>The number of the snapshot since which the page is listed as changed: see <see cref="ChangedPages"/>.</summary>
    internal int ListSnapshot;

    /// <summary>The size of a slot in bytes, header included.</summary>
    internal int SlotBytes;

    /// <summary>How many slots the page holds; 0 when it is not laid out for slots.</summary>
    internal ushort SlotCount;

    /// <summary>Free slots: the number of set free bits.</summary>
    internal ushort FreeCount;

    /// <summary>The word of the free bits in which the last slot was found.</summary>
    internal ushort Cursor;

    /// <summary>Pending slots: flushed ones that were freed and are not reusable yet.</summary>
    internal ushort PendingFreeCount;

    internal short SizeClass;

    /// <summary>What its slots are for: see <see cref="PageKind"/>. A recovered page's are for all blocks.</summary>
    internal short Kind;

    /// <summary>
    /// Whether blocks that may be evicted have taken slots in this page for others. A hint; any thread writes, without a lock.
    /// </summary>
    internal bool HasGuests;

    /// <summary>Whether the page is in its heap's list of pages with a free slot.</summary>
    internal bool IsListed;

    /// <summary>
    /// Owned by a heap that has not attached it yet, or isolated to be emptied: a free must not list, count or return it.
    /// </summary>
    internal bool IsInTransit;

    /// <summary>Free, and not to be used for now: see <see cref="WithheldPages"/>.</summary>
    internal bool IsWithheld;

    /// <summary>The neighbours in the heap's list; without meaning while the page is not listed.</summary>
    internal PageMeta* Previous;
    internal PageMeta* Next; // as Previous

    /// <summary>The page's word at the snapshot <see cref="WordSnapshot"/>; of an older one the present word is the same.</summary>
    /// <remarks>Of a page that is freed behind that snapshot it is the word from then: it held nothing at the snapshot.</remarks>
    internal ulong SnapshotWord;

    internal int WordSnapshot; // see SnapshotWord

    /// <summary>
    /// The number of the snapshot that the page's bits are up to; if it is not the last one, nothing was taken or freed since. Also read
    /// without the lock.
    /// </summary>
    internal int BitsSnapshot;

    /// <summary>Slots that are never used again, as their generation is exhausted.</summary>
    internal ushort ExhaustedCount;

    /// <summary>In the first page of a run: whether its block was there at the snapshot of <see cref="BitsSnapshot"/>.</summary>
    internal bool IsRunFlushed;

    internal readonly bool IsAllFree => FreeCount == SlotCount;

    internal readonly byte* BlockAt(int slot) => Start + slot * SlotBytes;

    internal readonly ulong FirstAddress => (ulong)PageNumber * (SizeClasses.PageBytes / SizeClasses.GranuleBytes);

    /// <summary>The 64-bit words that hold one bit per slot.</summary>
    internal readonly int WordCount => (SlotCount + 63) / 64;

    /// <summary>The bytes of process memory that the page's bits use.</summary>
    internal readonly long BitsBytes => OwnBitsBytes + (FlushedBits == null ? 0 : WordCount * sizeof(ulong));

    // The free bits, and the sets behind them.
    private readonly long OwnBitsBytes => RoundToLines(WordCount * (FlushedBits == null ? 1 : 4) * sizeof(ulong));

    /// <summary>Allocates the bits of a size class, and marks all slots free, or none.</summary>
    internal void LayOut(int sizeClass, bool allFree)
    {
        Debug.Assert(FreeBits == null, "The page is laid out already.");
        Debug.Assert((nuint)Start % LineBytes == 0, "A page begins with a cache line.");
        SizeClass = (short)sizeClass;
        Kind = (short)PageKind.Of(sizeClass, isEvictable: true);
        SlotBytes = SizeClasses.SlotBytes(sizeClass);
        SlotCount = (ushort)(SizeClasses.PageBytes / SlotBytes);
        ExhaustedCount = 0;
        HasGuests = false;
        GenerationFloor = 0;
        Cursor = 0;
        FreeBits = (ulong*)NativeMemory.AlignedAlloc((nuint)OwnBitsBytes, LineBytes);
        NativeMemory.Clear(FreeBits, (nuint)OwnBitsBytes);
        if (FlushedBits != null)
            NativeMemory.Clear(FlushedBits, (nuint)WordCount * sizeof(ulong));
        FreeCount = 0;
        PendingFreeCount = 0;
        if (allFree)
            SetAllFree();
    }

    /// <summary>Records that the page's bytes may not be zero any more.</summary>
    /// <remarks>Generation base 0 is a page that was never used: all zero, which means free slots of generation 0.</remarks>
    internal void MarkUsed() => MaxGeneration = Math.Max(MaxGeneration, 1);

    internal void Drop()
    {
        NativeMemory.AlignedFree(FreeBits);
        FreeBits = null;
        SlotCount = 0;
        FreeCount = 0;
    }

    /// <summary>Takes the next free slot in address order, starting where the last one was found. There must be one.</summary>
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
        Debug.Assert(FreeCount + ExhaustedCount + PendingFreeCount <= SlotCount, "More slots than the page has.");
    }

    internal readonly bool IsFree(int slot) => (FreeBits[slot >> 6] >> slot & 1) != 0;

    // The bits of a word that belong to slots.
    private readonly ulong MaskOf(int word) => SlotCount - word * 64 >= 64 ? ulong.MaxValue : (1UL << (SlotCount - word * 64)) - 1;

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
