using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

internal sealed unsafe partial class Allocator
{
    /// <summary>Checks that the pool and the heaps agree, and that all counters match the pages.</summary>
    /// <remarks>
    /// For tests: this process owns the pile, and no other thread uses it. The block counters match only summed over all heaps: when a page
    /// moves to another heap, its blocks stay counted in the heap that they were taken from.
    /// </remarks>
    /// <exception cref="System.InvalidOperationException">They disagree.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "Allocator";
        using Lock.Scope none = _trimming.EnterScope(); // a trim of the background ends first
        Invariant.False(Structure, 0, "transfer under way, and no thread running", TransferEvents.IsUnderWay);
        Pool.CheckInvariants();
        Segment[] segments = Pool.Segments();
        long liveBlocks = 0;
        long liveBytes = 0;
        foreach (Heap heap in _heaps)
        {
            heap.CheckInvariants(segments);
            liveBlocks -= heap.LiveBlocks;
            liveBytes -= heap.LiveSlotBytes;
        }
        int listed = 0;
        foreach (Segment segment in segments)
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page++)
            {
                PageMeta* meta = segment.Metas + page;
                listed += _tracksFlushed && meta->ListSnapshot == _snapshot ? 1 : 0;
                if (meta->Owner == PageMeta.NoOwner)
                    continue;
                Invariant.Between(Structure, meta->PageNumber, "owner of a page", meta->Owner, 0, _heaps.Length - 1);
                int live = meta->SlotCount - meta->FreeCount - meta->ExhaustedCount - meta->PendingFreeCount;
                liveBlocks += live;
                liveBytes += (long)live * meta->SlotBytes;
            }
        }
        Invariant.Equal(Structure, 0, "blocks in pages beyond those that the heaps count", liveBlocks, 0);
        Invariant.Equal(Structure, 0, "bytes of slots beyond those that the heaps count", liveBytes, 0);
        int inLists = Pool.ChangedPageCount;
        foreach (Heap heap in _heaps)
            inLists += heap.ChangedPageCount;
        Invariant.Between(Structure, 0, "changed pages, those of trimmed segments not counted", listed, 0, inLists);
    }
}
