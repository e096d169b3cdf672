using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Upkeep;

/// <summary>Says what a pile holds and where its memory goes.</summary>
internal sealed class StatisticsCounter(Keeper keeper, long limitBytes)
{
    private readonly BlockSpace _space = keeper.Space;

    /// <summary>Counts, at one instant.</summary>
    internal PileStatistics Count()
    {
        ThreadPresence presence = _space.Gate.Enter();
        try
        {
            return Describe(_space.Allocator.Snapshot(), _space.LinkCount + keeper.Examination.LinkCount);
        }
        finally
        {
            _space.Exit(presence);
        }
    }

    private PileStatistics Describe(AllocatorCounters counters, long links)
    {
        long committedBytes = counters.HeadBytes + counters.PageBytes + counters.UnexaminedBytes;
        long backWordBytes = links * BackWord.SizeBytes;
        long headerBytes = counters.LiveBlocks * BlockHeader.SizeBytes;
        return new PileStatistics
        {
            ObjectCount = counters.LiveBlocks - links - _space.Leases.PendingCount,
            LinkCount = links,
            SegmentCount = counters.SegmentCount,
            ReservedBytes = counters.ReservedBytes,
            CommittedBytes = committedBytes,
            PayloadBytes = counters.PayloadBytes - backWordBytes,
            HeaderBytes = counters.HeadBytes + headerBytes + backWordBytes,
            SlackBytes = counters.LiveSlotBytes - counters.PayloadBytes - headerBytes + counters.UnusableBytes,
            FreeBytes = counters.PageBytes - counters.LiveSlotBytes - counters.UnusableBytes,
            UnexaminedBytes = counters.UnexaminedBytes,
            UnusedBytes = counters.ReservedBytes - committedBytes,
            RecordBytes = counters.RecordBytes + _space.Stripes.SizeBytes,
            LimitBytes = limitBytes,
            BackgroundFailureCount = keeper.Background.FailureCount,
            LastBackgroundFailure = keeper.Background.LastFailure?.Message,
        };
    }
}
