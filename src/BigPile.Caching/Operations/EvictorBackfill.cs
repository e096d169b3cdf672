using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Backfills the queues of a new evictor with the entries that the table already has.</summary>
internal static unsafe class EvictorBackfill
{
    private const ulong BucketsAtOnce = 1 << 14; // some ten thousand entries: a short pause
    private const int BucketsForOneEviction = 16; // an eviction fills the queues faster than it drains them
    private const int BucketsInTurn = 1024; // in one critical region of the background
    private const int HashesAtOnce = 2 * Bucket.SlotCount; // on the stack: two lines
    private const ulong InMainBit = 1UL << 63; // not part of the hash that a slot knows

    /// <summary>Backfills a small table at once, and begins the backfill of a large one. No thread is in the table.</summary>
    internal static void BeginBackfill(this TableCore core, Evictor evictor)
    {
        core.Backfill = null;
        if (core.HasPriorities || core.Index.BucketCount <= BucketsAtOnce)
        {
            // At once: no thread is in the table, so no lock is needed. A backfill in parts knows no priorities.
            for (ulong number = 0; number < core.Index.BucketCount; number++)
            {
                foreach (SlotPlace place in core.Index.SlotsOf(number))
                    evictor.EnterFound(place.Value.KnownHash(number), core.CountPriority(place), place.Line->IsInMain(place.Slot));
            }
            return;
        }
        var backfill = new Backfill(evictor);
        core.Backfill = backfill; // release; puts ask it from their first instant
        core.Pile.Engine.Background.Queue($"filling the queues of the table '{core.Name}'", () => core.BackfillAll(backfill));
    }

    /// <summary>
    /// Evicts one entry. While the backfill is incomplete, some more entries are entered first. The caller is in a critical region.
    /// </summary>
    /// <inheritdoc cref="Evictor.TryEvict"/>
    internal static bool TryEvict(
        this TableCore core, Evictor evictor, ulong hash, EntryPriority most, long now, ulong pinnedAddress = 0)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "An entry is freed in a critical region only.");
        core.BackfillBeforeEviction();
        while (!evictor.TryEvict(hash, most, now, pinnedAddress))
        {
            // The queues may lack entries only because the backfill has not come to them.
            if (core.Backfill is not { } left || !core.BackfillSome(left, BucketsForOneEviction))
                return false;
        }
        return true;
    }

    /// <summary>Evicts one entry of any priority, not for a new one. The caller is in a critical region.</summary>
    /// <inheritdoc cref="Evictor.TryEvictInTurn"/>
    internal static bool TryEvictInTurn(this TableCore core, Evictor evictor, long now)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "An entry is freed in a critical region only.");
        core.BackfillBeforeEviction();
        while (!evictor.TryEvictInTurn(EntryPriority.High, now))
        {
            if (core.Backfill is not { } left || !core.BackfillSome(left, BucketsForOneEviction))
                return false;
        }
        return true;
    }

    /// <summary>Chooses the queue of a new entry, and may evict another entry for it. The caller is in a critical region.</summary>
    /// <inheritdoc cref="Evictor.Admit"/>
    internal static EntryQueue Admit(
        this TableCore core, Evictor evictor, ulong hash, EntryPriority priority, double weight, long now, out bool hasEvicted)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "An entry is freed in a critical region only.");
        core.BackfillBeforeEviction();
        return evictor.Admit(hash, priority, weight, now, out hasEvicted);
    }

    private static void BackfillBeforeEviction(this TableCore core)
    {
        if (core.Backfill is { } backfill)
            _ = core.BackfillSome(backfill, BucketsForOneEviction);
    }

    /// <summary>Whether the backfill will enter a new entry with the rest of its bucket.</summary>
    internal static bool IsBackfilledLater(this TableCore core, ulong hash, EntryPriority priority) =>
        core.Backfill is { } backfill && priority == EntryPriority.Normal && backfill.IsPending(core.Index.Locate(hash));

    /// <summary>Completes the backfill. The caller is outside of critical regions.</summary>
    internal static void BackfillAll(this TableCore core, Backfill backfill)
    {
        try
        {
            while (core.Backfill == backfill && core.EnterAndBackfillSome(backfill))
                Thread.Yield();
        }
        catch (ObjectDisposedException)
        {
            // the table is being closed
        }
    }

    private static bool EnterAndBackfillSome(this TableCore core, Backfill backfill)
    {
        using ReadScope scope = core.EnterReader();
        return core.BackfillSome(backfill, BucketsInTurn);
    }

    /// <summary>Backfills some buckets.</summary>
    /// <returns><see langword="false"/> when the backfill is complete.</returns>
    private static bool BackfillSome(this TableCore core, Backfill backfill, int buckets)
    {
        ulong first = backfill.Begin(buckets);
        try
        {
            // The number of buckets is read each time: a split moves entries to higher buckets, where this walk still meets them.
            for (ulong number = first; number < first + (ulong)buckets && number < core.Index.BucketCount; number++)
                core.BackfillBucket(backfill.Evictor, number);
        }
        finally
        {
            backfill.End();
        }
        return first < core.Index.BucketCount || core.EndBackfill(backfill);
    }

    /// <summary>Ends the backfill, once other threads that work on it are done.</summary>
    /// <returns>Whether it had to wait for one, which may have entered more by now.</returns>
    private static bool EndBackfill(this TableCore core, Backfill backfill)
    {
        var spinner = default(SpinWait);
        // Other threads still enter entries: a caller that gave up now would refuse a put for no reason.
        while (!backfill.IsDone(core.Index.BucketCount))
            spinner.SpinOnce(sleep1Threshold: -1);
        if (core.Backfill == backfill)
            core.Backfill = null;
        return spinner.Count != 0;
    }

    // Shard locks come before bucket locks: collect the hashes under the bucket's lock, enter them after it.
    private static void BackfillBucket(this TableCore core, Evictor evictor, ulong number)
    {
        Span<ulong> hashes = stackalloc ulong[HashesAtOnce];
        int count = core.CopyHashes(number, hashes, out List<ulong>? more);
        foreach (ulong hash in hashes[..count])
            EnterFound(evictor, hash);
        more?.ForEach(hash => EnterFound(evictor, hash));
    }

    private static void EnterFound(Evictor evictor, ulong hash) =>
        evictor.EnterFound(hash & ~InMainBit, EntryPriority.Normal, (hash & InMainBit) != 0);

    private static int CopyHashes(this TableCore core, ulong number, Span<ulong> hashes, out List<ulong>? more)
    {
        more = null;
        int count = 0;
        using LockedBucket bucket = core.Index.LockBucket(number);
        foreach (SlotPlace place in bucket.Slots)
        {
            ulong hash = place.Value.KnownHash(number) | (place.Line->IsInMain(place.Slot) ? InMainBit : 0);
            if (count < hashes.Length)
                hashes[count++] = hash;
            else
                (more ??= []).Add(hash);
        }
        return count;
    }

    private static EntryPriority CountPriority(this TableCore core, SlotPlace place)
    {
        if (!core.HasPriorities)
            return EntryPriority.Normal;
        if (!core.TryViewLocked(place, out LockedEntry entry))
            return EntryPriority.Low;
        if (entry.Head.Kind != Entries.ValueKind.Tombstone)
            core.Usage.AddToPriority(entry.Head.Priority, core.Pile.Blocks.FootprintBytesOf(entry.PayloadBytes));
        return entry.Head.Priority;
    }
}
