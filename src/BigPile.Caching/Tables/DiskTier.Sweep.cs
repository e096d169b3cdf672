using System;
using BigPile.Access;
using BigPile.Caching.Liveness;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tables;

/// <summary>Frees spilled entries that have expired or were removed by tag.</summary>
internal sealed partial class DiskTier
{
    /// <summary>Begins a round of the sweep anew. The sweep lock is held.</summary>
    internal void RestartSweepLocked() => spill.Sweep.Dispose();

    /// <summary>Whether a round of the sweep is under way. The sweep lock is held.</summary>
    internal bool IsSweepUnderWayLocked => spill.Sweep.IsUnderWay;

    /// <summary>A round through memory has ended: the marks up to a version concern no entry there. The sweep lock is held.</summary>
    internal void EndMemoryRoundLocked(ulong marksUpTo) => spill.Sweep.EndMemoryRound(marksUpTo);

    /// <summary>Marks that the present rounds have passed are passed again. The sweep lock is held.</summary>
    internal void ForgetRoundsLocked() => spill.Sweep.ForgetRounds();

    /// <summary>Sweeps the next records. The sweep lock is held.</summary>
    internal int SweepLocked(int maxRecords)
    {
        Demotions.Drain();
        int freed = 0;
        if (!spill.Sweep.IsUnderWay)
        {
            // In this order: the round through memory has ended; then what is pending is visited, which passes all stripe locks; then the
            // file. An evicted entry was checked under its bucket's lock, and is pending once the round through memory has passed the
            // bucket. A promoted one is checked under that lock, too, and is in memory once all stripe locks were passed. So no entry
            // escapes all three.
            spill.Sweep.Begin();
            freed += FreePending();
            spill.Sweep.WalkOn(spill.BeginWalk());
        }
        for (int i = 0; i < maxRecords && spill.Sweep.TryNext(out ReadOnlyMemory<byte> key, out ReadOnlyMemory<byte> block); i++)
        {
            if (table.Liveness.Of(block.Span).IsDead() && TryFree(key.Span)) // TryFree asks again, under the lock
                freed++;
        }
        // No entry is left that the marks concern. While an inspection runs they stay, and the next round tries again.
        if (spill.Sweep.TakeDone() is ulong version && version > spill.Sweep.DroppedUpTo
            && table.TagRemoval.DropMarksUpTo(version, allOnly: false))
            spill.Sweep.RecordDropped(version);
        return freed;
    }

    // Passes all stripe locks. Another thread may have dequeued an entry that it has not written yet.
    private int FreePending()
    {
        int freed = 0;
        spill.PassStripes((stripe, entry) =>
        {
            EntryState state = table.Liveness.Of(entry.Payload);
            if (!state.IsDead())
                return;
            ReportDead(entry.Payload, state);
            stripe.Remove(entry);
            freed++;
        });
        return freed;
    }

    private bool TryFree(ReadOnlySpan<byte> key)
    {
        ulong hash = table.Hash.Of(key);
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        lock (spill.StripeOf(hash).Lock)
        {
            // A pending one is newer than the record: its write replaces it.
            if (!spill.TryReadStripeLocked(hash, key, block, out PendingDemotion? pending) || pending != null)
                return false;
            EntryState state = table.Liveness.Of(block.WrittenSpan);
            if (!state.IsDead())
                return false;
            spill.RemoveStripeLocked(hash, key);
            ReportDead(block.WrittenSpan, state);
            return true;
        }
    }
}
