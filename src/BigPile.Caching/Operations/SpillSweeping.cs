using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Frees spilled entries that have expired or were removed by tag.</summary>
internal static class SpillSweeping
{
    /// <summary>Sweeps all spilled entries.</summary>
    internal static long SweepAllSpilled(this TableCore core, CancellationToken stop)
    {
        const int RecordsAtOnce = 4096;
        if (core.Spill is not { } spill || !core.HasExpirables)
            return 0;
        long freed = 0;
        for (bool isFirst = true; !stop.IsCancellationRequested; isFirst = false)
        {
            core.SweepPlace.SweepLock.Enter();
            try
            {
                if (isFirst)
                    spill.Sweep.Dispose(); // a round of its own
                freed += core.SweepSpill(spill, RecordsAtOnce);
                if (!spill.Sweep.IsUnderWay)
                    break;
            }
            finally
            {
                core.SweepPlace.SweepLock.Exit();
            }
        }
        return freed;
    }

    /// <summary>Sweeps the next records in the file; does nothing while another sweep runs.</summary>
    internal static int SweepSpilled(this TableCore core, int maxRecords)
    {
        if (core.Spill is not { } spill || !core.HasExpirables || core.IsRebuilding || !core.SweepPlace.SweepLock.TryEnter())
            return 0;
        try
        {
            return core.SweepSpill(spill, maxRecords);
        }
        finally
        {
            core.SweepPlace.SweepLock.Exit();
        }
    }

    /// <summary>The same. The sweep lock is held.</summary>
    private static int SweepSpill(this TableCore core, SpillStore spill, int maxRecords)
    {
        core.DrainSpill();
        int freed = 0;
        if (!spill.Sweep.IsUnderWay)
        {
            // In this order: the round through memory has ended; then what is pending is visited, which passes all stripe locks; then the
            // file. An evicted entry was checked under its bucket's lock, and is pending once the round through memory has passed the
            // bucket. A promoted one is checked under that lock, too, and is in memory once all stripe locks were passed. So no entry
            // escapes all three.
            spill.Sweep.Begin();
            freed += core.FreePending(spill);
            spill.Sweep.WalkOn(spill.BeginWalk());
        }
        for (int i = 0; i < maxRecords && spill.Sweep.TryNext(out ReadOnlyMemory<byte> key, out ReadOnlyMemory<byte> block); i++)
        {
            if (core.LivenessOf(block.Span).IsDead() && core.TryFree(spill, key.Span)) // TryFree asks again, under the lock
                freed++;
        }
        // No entry is left that the marks concern. While a comparison runs they stay, and the next round tries again.
        if (spill.Sweep.TakeDone() is ulong version && version > spill.Sweep.DroppedUpTo && core.DropMarksUpTo(version, allOnly: false))
            spill.Sweep.DroppedUpTo = version;
        return freed;
    }

    // Passes all stripe locks. Another thread may have dequeued an entry that it has not written yet.
    private static int FreePending(this TableCore core, SpillStore spill)
    {
        int freed = 0;
        spill.PassStripes((stripe, entry) =>
        {
            Liveness liveness = core.LivenessOf(entry.Payload);
            if (!liveness.IsDead())
                return;
            core.ReportDead(entry.Payload, liveness);
            stripe.Remove(entry);
            freed++;
        });
        return freed;
    }

    private static bool TryFree(this TableCore core, SpillStore spill, ReadOnlySpan<byte> key)
    {
        ulong hash = core.Hash.Of(key);
        PileBuffer block = BufferRental.Rent();
        try
        {
            lock (spill.StripeOf(hash).Lock)
            {
                // A pending one is newer than the record: its write replaces it.
                if (!spill.TryReadStripeLocked(hash, key, block, out PendingDemotion? pending) || pending != null)
                    return false;
                Liveness liveness = core.LivenessOf(block.WrittenSpan);
                if (!liveness.IsDead())
                    return false;
                spill.RemoveStripeLocked(hash, key);
                core.ReportDead(block.WrittenSpan, liveness);
                return true;
            }
        }
        finally
        {
            BufferRental.Return(block);
        }
    }
}
