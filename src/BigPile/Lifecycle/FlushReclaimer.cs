using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Reporting;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Of a mapped pile: what was flushed and then freed is free once the next flush has ended, and so is the log's room.</summary>
internal sealed class FlushReclaimer(PileEngine engine, Allocator allocator, ShadowHeaderTable shadowHeaders, FlushLog log, ILogger logger)
    : Reclaimer(allocator.ReclaimEvents)
{
    private int _isRequested;

    private protected override bool IsFlushWanted => allocator.PendingFreeBytes != 0 || shadowHeaders.IsFull || log.IsSpaceRequested;

    private protected override bool TryRequestDiskSpace() => log.TryRequestSpace();

    internal override int Reclaim(int attempt)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "Whoever gives room back waits until this thread has left.");
        bool isRefused = IsFlushWanted && !TryFlush();
        lock (engine.Flushing)
        {
            // what another one's flush gave back is free now
        }
        allocator.WaitForReclaim();
        return isRefused ? MostAttempts : attempt + 1;
    }

    internal override bool TryFlush()
    {
        try
        {
            engine.Flush(new ProgressGauge(null));
            return true;
        }
        catch (PileStorageException e)
        {
            logger.LogError(e, "What was freed can't be used again before it was flushed, and that failed");
            return false;
        }
    }

    internal override void RequestFlush()
    {
        if (Interlocked.Exchange(ref _isRequested, 1) == 0)
            engine.Background.Queue("a flush that gives room back", FlushAsRequested);
    }

    internal override void TrimQuietly() => engine.Trimmer.TrimQuietly();

    /// <summary>Flushes, unless a flush is under way: the device is slower than whoever asks.</summary>
    internal void FlushQuietly()
    {
        if (!engine.Flushing.TryEnter())
            return;
        engine.Flushing.Exit();
        engine.Flush(new ProgressGauge(null));
    }

    private void FlushAsRequested()
    {
        Volatile.Write(ref _isRequested, 0);
        FlushQuietly();
        if (allocator.ReclaimEvents.IsTrimWanted)
            engine.Trimmer.TrimQuietly();
    }
}
