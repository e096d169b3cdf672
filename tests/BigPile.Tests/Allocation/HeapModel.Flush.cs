using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Tests.Allocation;

/// <summary>Flushes of the heaps, beside which they change.</summary>
internal sealed unsafe partial class HeapModel
{
    private void Flush(int mostSteps = 2)
    {
        if (!_tracksFlushed)
            return;
        var pending = new PendingFrees();
        _pool.BeginSnapshot(++_snapshot, pending);
        foreach (Heap heap in _heaps)
            heap.BeginSnapshot(_snapshot, pending);
        HashSet<ulong> changesBefore = [.. _changes];
        HashSet<ulong> pendingBefore = [.. _pendingFrees];
        _changes.Clear();
        _flushed.UnionWith(_live.Keys);
        for (int count = _random.Next(mostSteps + 1); count > 0; count--)
        {
            FreeSome();
            TakeSome();
        }
        CheckChanges(pending, changesBefore);
        pending.CheckInvariants(_map);
        ulong[] exhausted = new ulong[PageMeta.MostBitWords];
        int released = 0;
        for (int index = 0; index < pending.PageCount; index++)
        {
            PageMeta* page = pending.PageAt(index, out ReadOnlySpan<ulong> slots);
            released += Release(page, slots, exhausted, pendingBefore);
        }
        Assert.Equal(pendingBefore.Count, released);
        _pendingFrees.ExceptWith(pendingBefore);
        Done += new HeapTally { Released = released };
    }

    private void CheckChanges(PendingFrees pending, HashSet<ulong> changesBefore)
    {
        var changes = new PageChanges();
        HashSet<ulong> pages = [.. pending.Changed];
        Assert.Equal(pages.Count, pending.Changed.Count);
        var words = new Dictionary<ulong, PageWord>();
        var found = new HashSet<ulong>();
        foreach (ulong address in pages)
        {
            PageMeta* page = _map.MetaOf(address);
            Segment segment = _pool.SegmentOf(page);
            Assert.True(page->Owner == PageMeta.NoOwner
                ? _pool.TryTakeChanges(segment, page, _snapshot, changes)
                : _heaps[page->Owner].TryTakeChanges(segment, page, _snapshot, changes));
            pending.Add(changes);
            words[address] = changes.Word;
            for (int slot = 0; slot < changes.Changed.Length * 64; slot++)
            {
                if (((changes.Changed[slot / 64] | changes.Pending[slot / 64]) >> slot & 1) != 0)
                    found.Add(address + (ulong)(slot * page->SlotBytes / SizeClasses.GranuleBytes));
            }
        }
        // The others were taken and freed in pages that were freed then: they are unused, or laid out anew, perhaps with these addresses.
        foreach (ulong address in changesBefore.Except(found))
            Assert.Contains(PageOf(address), pages);
        foreach (ulong address in found.Except(changesBefore)) // the first slot stands for a page that was laid out anew
            Assert.True((address == PageOf(address) && !_flushed.Contains(address)) || IsExhausted(address));
    }

    private bool IsExhausted(ulong address) =>
        new BlockHeader(*(ulong*)_map.Find(address, out _)).Generation == PilePointer.MaxGeneration;

    private static ulong PageOf(ulong address) => address >> SegmentMap.PageShift << SegmentMap.PageShift;

    private int Release(PageMeta* page, ReadOnlySpan<ulong> slots, ulong[] exhausted, HashSet<ulong> pendingBefore)
    {
        Array.Clear(exhausted);
        int released = 0;
        for (int slot = 0; slot < page->SlotCount; slot++)
        {
            if ((slots[slot / 64] >> slot & 1) == 0)
                continue;
            Assert.Contains(page->FirstAddress + (ulong)(slot * page->SlotBytes / SizeClasses.GranuleBytes), pendingBefore);
            if (PagePool.StorePlainFree(page->BlockAt(slot)) == PilePointer.MaxGeneration)
                exhausted[slot / 64] |= 1UL << slot;
            released++;
        }
        Assert.True(_heaps[page->Owner].TryRelease(page, slots, exhausted.AsSpan(0, slots.Length), out PageMeta* emptied));
        if (emptied != null)
            ReturnPage(emptied);
        return released;
    }
}
