using System;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Lifecycle;

/// <summary>Says what a pile holds and where its memory goes.</summary>
internal sealed class StatisticsCounter(PileEngine engine, long limitBytes)
{
    private readonly BlockStore _blocks = engine.Blocks;

    /// <summary>Counts, at one instant but for links and leases: beside writers some of these are of another one.</summary>
    internal PileStatistics Count()
    {
        engine.Refresh();
        CriticalRegion critical = _blocks.Barrier.EnterReader();
        try
        {
            return Describe(engine.Count(), _blocks.LinkCount + engine.LazyRecovery.LinkCount);
        }
        finally
        {
            _blocks.Exit(critical);
        }
    }

    /// <summary>The links that can be among the blocks that were counted. Those are counted a little later: some came since.</summary>
    internal static long LinksAmong(long counted, long liveBlocks, long payloadBytes) =>
        Math.Clamp(counted, 0, Math.Min(liveBlocks, payloadBytes / OwnerWord.SizeBytes));

    private PileStatistics Describe(AllocatorCounters counters, long counted)
    {
        long links = LinksAmong(counted, counters.LiveBlocks, counters.PayloadBytes);
        long committedBytes = counters.HeadBytes + counters.PageBytes + counters.UnrecoveredBytes;
        long ownerWordBytes = links * OwnerWord.SizeBytes;
        long headerBytes = counters.LiveBlocks * BlockHeader.SizeBytes;
        return new PileStatistics
        {
            ObjectsSoFar = Math.Max(0, counters.LiveBlocks - links - _blocks.Leases.PendingCount),
            LinksSoFar = links,
            SegmentCount = counters.SegmentCount,
            ReservedBytes = counters.ReservedBytes,
            CommittedBytes = committedBytes,
            PayloadBytes = counters.PayloadBytes - ownerWordBytes,
            HeaderBytes = counters.HeadBytes + headerBytes + ownerWordBytes,
            SlackBytes = counters.LiveSlotBytes - counters.PayloadBytes - headerBytes + counters.UnusableBytes,
            FreeBytes = counters.PageBytes - counters.LiveSlotBytes - counters.UnusableBytes,
            UnexaminedBytes = counters.UnrecoveredBytes,
            UnusedBytes = counters.ReservedBytes - committedBytes,
            RecordBytes = counters.RecordBytes + _blocks.Stripes.SizeBytes,
            LimitBytes = limitBytes,
            BackgroundFailureCount = engine.Background.FailureCount,
            LastBackgroundFailure = engine.Background.LastFailure?.Message,
        };
    }
}
