using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Concurrency;

namespace BigPile.Caching.Capacity;

/// <summary>Backfills the queues of a new evictor with the entries that the table already has.</summary>
internal sealed unsafe partial class TableLimits
{
    private const ulong BucketsAtOnce = 1 << 14; // some ten thousand entries: a short pause
    private const int BucketsForOneEviction = 16; // an eviction fills the queues faster than it drains them
    private const int BucketsInTurn = 1024; // in one critical region of the background
    private const ulong BucketsToAsk = 256; // in which some entry is in the main queue if an earlier evictor has chosen
    private const int HashesAtOnce = 2 * Bucket.SlotCount; // on the stack: two lines
    private const ulong InMainBit = 1UL << 63; // not part of the hash that a slot knows

    /// <summary>The backfill that is under way; null: none.</summary>
    internal Backfill? Backfill => Volatile.Read(ref _backfill);

    // Backfills a small table at once, and begins the backfill of a large one. No thread is in the table.
    private Backfill? BeginBackfill(Evictor evictor)
    {
        bool entersMain = !HasChosen();
        if (content.HasPriorities || index.BucketCount <= BucketsAtOnce)
        {
            // At once: no thread is in the table, so no lock is needed. A backfill in parts knows no priorities.
            for (ulong number = 0; number < index.BucketCount; number++)
            {
                foreach (SlotPlace place in index.SlotsOf(number))
                {
                    if (entersMain)
                        place.SetInMain(true);
                    evictor.EnterFound(place.Value.KnownHash(number), CountPriority(place), place.IsInMain);
                }
            }
            return null;
        }
        var backfill = new Backfill(evictor, entersMain);
        Volatile.Write(ref _backfill, backfill); // release; puts ask it from their first instant
        return backfill;
    }

    // While a table fills, its entries go to the main queue: so do those from before its first evictor. In the small queue they would be
    // far above its share, and go before anything new.
    private bool HasChosen()
    {
        for (ulong number = 0; number < Math.Min(index.BucketCount, BucketsToAsk); number++)
        {
            foreach (SlotPlace place in index.SlotsOf(number))
            {
                if (place.IsInMain)
                    return true;
            }
        }
        return false;
    }

    /// <summary>
    /// Evicts one entry. While the backfill is incomplete, some more entries are entered first. The caller is in a critical region.
    /// </summary>
    /// <inheritdoc cref="Evictor.TryEvict"/>
    internal bool TryEvict(ulong hash, EntryPriority most, long now, ulong pinnedAddress = 0)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "An entry is freed in a critical region only.");
        BackfillBeforeEviction();
        while (!_evictor!.TryEvict(hash, most, now, pinnedAddress))
        {
            // The queues may lack entries only because the backfill has not come to them.
            if (Backfill is not { } left || !BackfillSome(left, BucketsForOneEviction))
                return false;
        }
        return true;
    }

    /// <summary>Evicts one entry of any priority, not for a new one. The caller is in a critical region.</summary>
    /// <inheritdoc cref="Evictor.TryEvictInTurn"/>
    internal bool TryEvictInTurn(long now)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "An entry is freed in a critical region only.");
        BackfillBeforeEviction();
        while (!_evictor!.TryEvictInTurn(EntryPriority.High, now))
        {
            if (Backfill is not { } left || !BackfillSome(left, BucketsForOneEviction))
                return false;
        }
        return true;
    }

    /// <summary>Chooses the queue of a new entry, and may evict another entry for it. The caller is in a critical region.</summary>
    /// <inheritdoc cref="Evictor.Admit"/>
    internal EntryQueue Admit(ulong hash, EntryPriority priority, double weight, long now, out bool hasEvicted)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "An entry is freed in a critical region only.");
        BackfillBeforeEviction();
        return _evictor!.Admit(hash, priority, weight, now, out hasEvicted);
    }

    private void BackfillBeforeEviction()
    {
        if (Backfill is { } backfill)
            _ = BackfillSome(backfill, BucketsForOneEviction);
    }

    /// <summary>Whether the backfill will enter a new entry with the rest of its bucket.</summary>
    internal bool IsBackfilledLater(ulong hash, EntryPriority priority) =>
        Backfill is { } backfill && priority == EntryPriority.Normal && backfill.IsPending(index.Locate(hash));

    /// <summary>Backfills some more buckets. The caller is in a critical region.</summary>
    /// <returns><see langword="false"/> when the backfill is complete, or is no longer the table's.</returns>
    internal bool ContinueBackfill(Backfill backfill) => Backfill == backfill && BackfillSome(backfill, BucketsInTurn);

    /// <summary>Backfills some buckets.</summary>
    /// <returns><see langword="false"/> when the backfill is complete.</returns>
    private bool BackfillSome(Backfill backfill, int buckets)
    {
        ulong first = backfill.Begin(buckets);
        try
        {
            // The number of buckets is read each time: a split moves entries to higher buckets, where this walk still meets them.
            for (ulong number = first; number < first + (ulong)buckets && number < index.BucketCount; number++)
                BackfillBucket(backfill, number);
        }
        finally
        {
            backfill.End();
        }
        return first < index.BucketCount || EndBackfill(backfill);
    }

    /// <summary>Ends the backfill, once other threads that work on it are done.</summary>
    /// <returns>Whether it had to wait for one, which may have entered more by now.</returns>
    private bool EndBackfill(Backfill backfill)
    {
        var spinner = default(SpinWait);
        // Other threads still enter entries: a caller that gave up now would refuse a put for no reason.
        while (!backfill.IsDone(index.BucketCount))
            spinner.SpinOnce(sleep1Threshold: -1);
        _ = Interlocked.CompareExchange(ref _backfill, null, backfill);
        return spinner.Count != 0;
    }

    // Shard locks come before bucket locks: collect the hashes under the bucket's lock, enter them after it.
    private void BackfillBucket(Backfill backfill, ulong number)
    {
        Span<ulong> hashes = stackalloc ulong[HashesAtOnce];
        int count = CopyHashes(number, backfill.EntersMain, hashes, out List<ulong>? more);
        foreach (ulong hash in hashes[..count])
            EnterFound(backfill.Evictor, hash);
        more?.ForEach(hash => EnterFound(backfill.Evictor, hash));
    }

    private static void EnterFound(Evictor evictor, ulong hash) =>
        evictor.EnterFound(hash & ~InMainBit, EntryPriority.Normal, (hash & InMainBit) != 0);

    private int CopyHashes(ulong number, bool entersMain, Span<ulong> hashes, out List<ulong>? more)
    {
        more = null;
        int count = 0;
        using LockedBucket bucket = index.LockBucket(number);
        foreach (SlotPlace place in bucket.Slots)
        {
            if (entersMain)
                place.SetInMain(true);
            ulong hash = place.Value.KnownHash(number) | (place.IsInMain ? InMainBit : 0);
            if (count < hashes.Length)
                hashes[count++] = hash;
            else
                (more ??= []).Add(hash);
        }
        return count;
    }

    private EntryPriority CountPriority(SlotPlace place)
    {
        if (!content.HasPriorities)
            return EntryPriority.Normal;
        if (!entries.TryViewLocked(place, out LockedEntry entry))
            return EntryPriority.Low;
        if (entry.Head.Kind != ValueKind.Tombstone)
            _budget.AddToPriority(entry.Head.Priority, heap.FootprintBytesOf(entry.PayloadBytes));
        return entry.Head.Priority;
    }
}
