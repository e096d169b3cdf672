using System;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Lifecycle;

/// <summary>Computes a pile's statistics.</summary>
internal sealed class StatisticsCounter(PileEngine engine)
{
    private readonly BlockStore _blocks = engine.Blocks;

    /// <summary>Counts at one instant, except links and leases, which under concurrent writes may be of another.</summary>
    internal PileStatistics Count()
    {
        engine.Refresh();
        using ReadScope scope = _blocks.EnterReader();
        return Describe(engine.Count(), _blocks.LinkCount + engine.LazyRecovery.LinkCount);
    }

    /// <summary>
    /// Limits the link count to what the counted blocks can contain: links are counted slightly later, so some are newer.
    /// </summary>
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
            SegmentBytes = _blocks.Map.SegmentBytes,
            ReservedBytes = counters.ReservedBytes,
            CommittedBytes = committedBytes,
            PayloadBytes = counters.PayloadBytes - ownerWordBytes,
            HeaderBytes = counters.HeadBytes + headerBytes + ownerWordBytes,
            SlackBytes = counters.LiveSlotBytes - counters.PayloadBytes - headerBytes + counters.UnusableBytes,
            FreeBytes = counters.PageBytes - counters.LiveSlotBytes - counters.UnusableBytes,
            UnexaminedBytes = counters.UnrecoveredBytes,
            UnusedBytes = counters.ReservedBytes - committedBytes,
            WithheldBytes = counters.WithheldBytes,
            RecordBytes = counters.RecordBytes + _blocks.Stripes.SizeBytes,
            LimitBytes = engine.Limit.Bytes,
            RefusedPutCount = engine.Refusals.Count,
            BackgroundFailureCount = engine.Background.FailureCount,
            LastBackgroundFailure = engine.Background.LastFailure?.Message,
        };
    }
}
