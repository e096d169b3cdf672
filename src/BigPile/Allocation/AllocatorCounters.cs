using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>The allocator's counters, summed over the heaps and the pool while all their locks were held.</summary>
internal readonly struct AllocatorCounters
{
    internal AllocatorCounters(PagePool pool, Heap[] heaps)
    {
        SegmentCount = pool.CountLocked();
        ReservedBytes = pool.ReservedBytes;
        WithheldBytes = pool.Allowance.WithheldBytes;
        HeadBytes = pool.HeadBytes;
        RecordBytes = pool.RecordBytes + pool.FreeBitsBytes;
        LiveBlocks = pool.RunCount;
        PayloadBytes = pool.RunPayloadBytes;
        LiveSlotBytes = PageBytes = pool.RunPages * SizeClasses.PageBytes;
        UnrecoveredBytes = pool.UnrecoveredPages * SizeClasses.PageBytes;
        UnusableBytes = pool.LostPages * SizeClasses.PageBytes;
        PageBytes += UnusableBytes + pool.PendingFreePages * SizeClasses.PageBytes;
        foreach (Heap heap in heaps)
        {
            LiveBlocks += heap.LiveBlocks;
            PayloadBytes += heap.PayloadBytes;
            LiveSlotBytes += heap.LiveSlotBytes;
            PageBytes += heap.PageBytes;
            UnusableBytes += heap.UnusableBytes;
        }
    }

    internal int SegmentCount { get; }

    internal long ReservedBytes { get; }

    internal long WithheldBytes { get; }

    internal long HeadBytes { get; }

    internal long RecordBytes { get; }

    internal long LiveBlocks { get; }

    internal long PayloadBytes { get; }

    internal long LiveSlotBytes { get; }

    internal long PageBytes { get; }

    internal long UnusableBytes { get; }

    internal long UnrecoveredBytes { get; init; }
}
