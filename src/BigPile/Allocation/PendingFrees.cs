using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Freed blocks that a flush has taken, to be released once their deletion is durable.</summary>
/// <remarks>
/// Slots are one bit each, by page: deleting everything must not need a list of everything. A page with a pending slot keeps its layout,
/// and its segment stays. Thread safety: the flush's lock.
/// </remarks>
internal sealed unsafe class PendingFrees
{
    private readonly List<PagePart> _pages = [];
    private readonly List<ulong> _bits = [];

    /// <summary>Whether nothing is pending, and no page is left that may have pending slots.</summary>
    internal bool IsEmpty => _pages.Count == 0 && Runs.Count == 0 && Leased.Count == 0 && Changed.Count == 0;

    /// <summary>First addresses of the pages that changed before a snapshot; a flush takes their changes one by one.</summary>
    internal List<ulong> Changed { get; } = [];

    /// <summary>The addresses of runs.</summary>
    internal List<ulong> Runs { get; } = [];

    /// <summary>The addresses of leased blocks: only their headers are completed; the end of the lease frees their memory.</summary>
    internal List<ulong> Leased { get; } = [];

    /// <summary>The number of pages with slots; a page counts as often as it was taken.</summary>
    internal int PageCount => _pages.Count;

    /// <summary>Adds the pending slots of a page, if there are any.</summary>
    internal void Add(PageChanges changes)
    {
        if (!changes.Pending.ContainsAnyExcept(0ul))
            return;
        _pages.Add(new PagePart((nint)changes.Page, _bits.Count, changes.Pending.Length));
        _bits.AddRange(changes.Pending);
    }

    /// <summary>A page, and its slots as bits.</summary>
    internal PageMeta* PageAt(int index, out ReadOnlySpan<ulong> slots)
    {
        PagePart part = _pages[index];
        slots = CollectionsMarshal.AsSpan(_bits).Slice(part.Start, part.WordCount);
        return (PageMeta*)part.Page;
    }

    /// <summary>Stores the epoch in all undoable free headers. No writer runs.</summary>
    internal void MarkEpoch(long epoch, SegmentMap map)
    {
        for (int index = 0; index < PageCount; index++)
        {
            PageMeta* page = PageAt(index, out ReadOnlySpan<ulong> slots);
            for (int word = 0; word < slots.Length; word++)
            {
                for (ulong bits = slots[word]; bits != 0; bits &= bits - 1)
                    MarkEpoch(page->BlockAt(word * 64 + BitOperations.TrailingZeroCount(bits)), epoch);
            }
        }
        foreach (ulong address in Runs)
            MarkEpoch(map.Find(address, out _), epoch);
        foreach (ulong address in Leased)
            MarkEpoch(map.Find(address, out _), epoch);
    }

    internal void Clear()
    {
        _pages.Clear();
        _bits.Clear();
        Runs.Clear();
        Leased.Clear();
        Changed.Clear();
    }

    /// <summary>Checks that what was taken is still pending, each slot and run once. For tests, which use nothing concurrently.</summary>
    /// <exception cref="System.InvalidOperationException">It is not.</exception>
    internal void CheckInvariants(SegmentMap map)
    {
        const string Structure = "PendingFrees";
        var taken = new Dictionary<nint, int>();
        int end = 0;
        for (int index = 0; index < PageCount; index++)
        {
            PageMeta* page = PageAt(index, out ReadOnlySpan<ulong> slots);
            Invariant.Equal(Structure, index, "first word of a page", _pages[index].Start, end);
            Invariant.Equal(Structure, index, "words of a page", slots.Length, page->WordCount);
            end += slots.Length;
            taken[(nint)page] = taken.GetValueOrDefault((nint)page) + CheckSlots(page, slots);
            Invariant.Between(Structure, page->PageNumber, "slots taken of a page", taken[(nint)page], 1, page->PendingFreeCount);
        }
        Invariant.Equal(Structure, PageCount, "words of all pages", _bits.Count, end);
        Invariant.Equal(Structure, Runs.Count, "runs, each once", new HashSet<ulong>(Runs).Count, Runs.Count);
        foreach (ulong address in Runs)
        {
            bool isFree = map.Find(address, out PageInfo* info) is var block && block != null && info->Word == PageInfo.OfRun().Word
                && IsFreed(new BlockHeader(*(ulong*)block));
            Invariant.True(Structure, (long)address, "run free and there", isFree);
        }
    }

    private static int CheckSlots(PageMeta* page, ReadOnlySpan<ulong> slots)
    {
        int count = 0;
        for (int word = 0; word < slots.Length; word++)
        {
            for (ulong bits = slots[word]; bits != 0; bits &= bits - 1, count++)
            {
                int slot = word * 64 + BitOperations.TrailingZeroCount(bits);
                bool isFreed = !page->IsFree(slot) && IsFreed(new BlockHeader(*(ulong*)page->BlockAt(slot)));
                Invariant.True("PendingFrees", page->PageNumber, "slot freed and not free yet", isFreed);
            }
        }
        return count;
    }

    /// <summary>
    /// Whether a header may be that of a pending block: a free one, or a busy one whose shadow header says free.
    /// </summary>
    internal static bool IsFreed(BlockHeader header) => header.IsFree || header.IsBusy;

    private static void MarkEpoch(byte* block, long epoch)
    {
        var header = new BlockHeader(*(ulong*)block);
        Debug.Assert(IsFreed(header), "A pending block is live.");
        if (header.IsUndoableFree)
            BlockTransitions.Store((ulong*)block, header.WithEpoch(epoch));
    }

    private readonly record struct PagePart(nint Page, int Start, int WordCount);
}
