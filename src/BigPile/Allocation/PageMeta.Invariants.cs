using System.Numerics;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

internal unsafe partial struct PageMeta
{
    private const string Structure = "PageMeta";

    /// <summary>Checks that the counts match the bits, and the bits the headers of the free slots.</summary>
    /// <remarks>The caller holds the owner's lock, or the pool's.</remarks>
    /// <exception cref="System.InvalidOperationException">They don't.</exception>
    internal readonly void CheckInvariants()
    {
        if (FreeBits == null)
        {
            Invariant.Equal(Structure, PageNumber, "slots without bits", SlotCount, 0);
            Invariant.Equal(Structure, PageNumber, "free slots without bits", FreeCount, 0);
            Invariant.False(Structure, PageNumber, "listed without bits", IsListed);
            return;
        }
        Invariant.Between(Structure, PageNumber, "size class", SizeClass, 0, SizeClasses.Count - 1);
        Invariant.Equal(Structure, PageNumber, "class of its kind", PageKind.SizeClassOf(Kind), SizeClass);
        Invariant.Equal(Structure, PageNumber, "bytes of a slot", SlotBytes, SizeClasses.SlotBytes(SizeClass));
        Invariant.Equal(Structure, PageNumber, "slots", SlotCount, SizeClasses.PageBytes / SlotBytes);
        Invariant.Equal(Structure, PageNumber, "alignment of the bits", (long)((nuint)FreeBits % LineBytes), 0);
        Invariant.Between(Structure, PageNumber, "cursor", Cursor, 0, WordCount - 1);
        CheckBits();
        CheckFreeSlots();
    }

    private readonly void CheckBits()
    {
        int free = 0;
        int pending = 0;
        for (int word = 0; word < WordCount; word++)
        {
            ulong bits = FreeBits[word];
            free += BitOperations.PopCount(bits);
            Invariant.Equal(Structure, PageNumber, "free bits behind the last slot", bits & ~MaskOf(word), 0ul);
            if (FlushedBits == null)
                continue;
            ulong newPending = FreedBits[word] & FlushedBits[word];
            pending += BitOperations.PopCount(newPending) + BitOperations.PopCount(PendingBits[word]);
            Invariant.Equal(Structure, PageNumber, "slots free and flushed", bits & FlushedBits[word], 0ul);
            Invariant.Equal(Structure, PageNumber, "slots free and pending", bits & PendingBits[word], 0ul);
            Invariant.Equal(Structure, PageNumber, "slots pending twice", newPending & PendingBits[word], 0ul);
            ulong all = FreedBits[word] | ChangedBits[word] | PendingBits[word] | FlushedBits[word];
            Invariant.Equal(Structure, PageNumber, "bits behind the last slot", all & ~MaskOf(word), 0ul);
            Invariant.True(Structure, PageNumber, "page with freed slots listed", FreedBits[word] == 0 || ListSnapshot == BitsSnapshot);
        }
        Invariant.Equal(Structure, PageNumber, "free slots", FreeCount, free);
        Invariant.Between(Structure, PageNumber, "pending slots", PendingFreeCount, pending, SlotCount);
        int notLive = FreeCount + ExhaustedCount + PendingFreeCount;
        Invariant.Between(Structure, PageNumber, "slots free, exhausted or pending", notLive, 0, SlotCount);
    }

    private readonly void CheckFreeSlots()
    {
        for (int word = 0; word < WordCount; word++)
        {
            for (ulong bits = FreeBits[word]; bits != 0; bits &= bits - 1)
            {
                int slot = word * 64 + BitOperations.TrailingZeroCount(bits);
                var header = new BlockHeader(*(ulong*)BlockAt(slot));
                Invariant.True(Structure, PageNumber, "header of a free slot free", header.IsFree);
                Invariant.Between(Structure, PageNumber, "generation of a free slot", header.Generation, 0, MaxGeneration);
            }
        }
    }
}
