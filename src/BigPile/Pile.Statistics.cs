using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>Counting.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>What the pile holds and where its memory goes, at one instant.</summary>
    /// <exception cref="System.ObjectDisposedException">The pile is closed.</exception>
    public PileStatistics Statistics
    {
        get
        {
            ThreadPresence presence = Enter();
            try
            {
                return Describe(_allocator.Snapshot(), Interlocked.Read(ref _linkCount) + (_examiner?.LinkCount ?? 0));
            }
            finally
            {
                presence.Exit();
            }
        }
    }

    private PileStatistics Describe(AllocatorCounters counters, long links)
    {
        long committedBytes = counters.HeadBytes + counters.PageBytes + counters.UnexaminedBytes;
        long backWordBytes = links * BackWord.SizeBytes;
        long headerBytes = counters.LiveBlocks * BlockHeader.SizeBytes;
        return new PileStatistics
        {
            ObjectCount = counters.LiveBlocks - links - _leases.PendingCount,
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
            RecordBytes = counters.RecordBytes + _stripes.SizeBytes,
            LimitBytes = _limitBytes,
            BackgroundFailureCount = Background.FailureCount,
            LastBackgroundFailure = Background.LastFailure?.Message,
        };
    }
}
