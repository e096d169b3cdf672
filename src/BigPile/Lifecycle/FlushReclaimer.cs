using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Memory.Concurrency;
using BigPile.Reporting;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Reclaims space of a mapped pile: a flush completes pending frees, and returns the log's disk space if requested.</summary>
internal sealed class FlushReclaimer(PileEngine engine, Allocator allocator, ShadowHeaderTable shadowHeaders, FlushLog log, ILogger logger)
    : Reclaimer(allocator, engine.Refusals)
{
    private int _isRequested; // 1 while a background flush is queued; interlocked

    private protected override bool IsFlushWanted => Allocator.PendingFreeBytes != 0 || shadowHeaders.IsFull || log.IsSpaceRequested;

    private protected override bool TryRequestDiskSpace() => log.TryRequestSpace();

    internal override int Reclaim(int attempt)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "A flush or trim waits until this thread's critical region ends.");
        bool isRefused = IsFlushWanted && !TryFlush();
        engine.Flushing.WaitUntilFree(); // what another thread's flush has freed is free now
        Allocator.WaitForReclaim();
        return isRefused ? MostAttempts : attempt + 1; // a device that refuses: the caller throws at once
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
            logger.LogError(e, "Freed blocks can't be reused before a flush, and the flush failed");
            return false;
        }
    }

    internal override void RequestFlush()
    {
        if (Interlocked.Exchange(ref _isRequested, 1) == 0)
            engine.Background.Queue("a flush that reclaims space", FlushAsRequested);
    }

    internal override void TrimQuietly() => engine.Trimmer.TrimQuietly();

    internal override void RequestTrim() => engine.Trimmer.Request();

    /// <summary>Flushes, unless a flush is running: requests may come faster than the device is.</summary>
    internal void FlushQuietly()
    {
        if (!engine.Flushing.TryEnter())
            return;
        engine.Flushing.Exit(); // only a look: the flush below takes it again
        engine.Flush(new ProgressGauge(null));
    }

    private void FlushAsRequested()
    {
        Volatile.Write(ref _isRequested, 0); // before the flush: a request that it misses queues another one
        FlushQuietly();
    }
}
