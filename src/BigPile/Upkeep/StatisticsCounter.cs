using System;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Upkeep;

/// <summary>Says what a pile holds and where its memory goes.</summary>
internal sealed class StatisticsCounter(Keeper keeper, long limitBytes)
{
    private readonly BlockSpace _space = keeper.Space;

    /// <summary>Counts, at one instant but for links and leases: beside writers some of these are of another one.</summary>
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

    // Links and leased blocks are not counted at the instant at which blocks are. Of what came since, there is no block in the figures yet.
    private PileStatistics Describe(AllocatorCounters counters, long counted)
    {
        long links = Math.Clamp(counted, 0, Math.Min(counters.LiveBlocks, counters.PayloadBytes / BackWord.SizeBytes));
        long committedBytes = counters.HeadBytes + counters.PageBytes + counters.UnexaminedBytes;
        long backWordBytes = links * BackWord.SizeBytes;
        long headerBytes = counters.LiveBlocks * BlockHeader.SizeBytes;
        return new PileStatistics
        {
            ObjectCount = Math.Max(0, counters.LiveBlocks - links - _space.Leases.PendingCount),
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
