using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Reporting;

namespace BigPile.Caching.Tables;

/// <summary>Removes everything: a mark invalidates all entries at one instant, then they are freed bucket by bucket.</summary>
internal sealed class Clear(TableEngine table)
{
    /// <summary>Removes all entries that were put before.</summary>
    /// <param name="gauge">Counts the buckets that are done.</param>
    internal void Run(ProgressGauge gauge)
    {
        if (!TryMarkAfterRebuild(out ulong version))
            return;
        // All entries up to the version read as missing now. What follows only frees them.
        for (ulong number = 0; number < table.Index.BucketCount; number++) // splits move entries to higher buckets only
        {
            CrashPoints.Pass(CrashPoint.ClearBeforeDropped);
            DropUpTo(number, version, isMarked: true);
            gauge.Advance(1);
        }
        CrashPoints.Pass(CrashPoint.ClearBeforeMarkFreed);
        // The mark goes last: until then it hides what is left, also after a kill. During a rebuild the walk may still find such entries.
        if (!table.Visibility.IsRebuilding)
            _ = table.TagRemoval.DropMarksUpTo(version, allOnly: true);
    }

    private bool TryMarkAfterRebuild(out ulong version)
    {
        while (true)
        {
            bool wasRebuilding = table.Visibility.IsRebuilding;
            try
            {
                return TryMarkAllAndSpilled(out version);
            }
            catch (PileFullException) when (wasRebuilding)
            {
                // As in Delete.Remove. After the rebuild entries can go without a mark, and make space for it.
                if (!table.Delete.TryWaitForRebuild())
                    throw;
            }
        }
    }

    // Spilled entries are removed without a mark: all stripe locks are held until they are gone, so none is moved or put meanwhile.
    private bool TryMarkAllAndSpilled(out ulong version)
    {
        if (table.Disk is not { } disk)
            return TryMarkOrFreeAll(out version);
        bool isMarked = false;
        ulong upTo = 0;
        disk.ClearAfter(() => isMarked = TryMarkOrFreeAll(out upTo));
        version = upTo;
        if (!isMarked)
            LoseFeed();
        return isMarked;
    }

    // Those in the file went without a mark, and so without a record.
    private void LoseFeed()
    {
        using ReadScope scope = table.EnterReader();
        table.Feed.Lose();
    }

    /// <summary>Marks all entries as removed. In a full pile, entries are freed first until there is space for the mark.</summary>
    /// <returns><see langword="false"/> when all entries were freed and there was still no space.</returns>
    private bool TryMarkOrFreeAll(out ulong version)
    {
        version = table.Heap.Versions.Last; // in a full pile these are freed without a mark
        return Mutation.ClearUnmarked || TryMarkAllIfNotFull(ref version) || TryMarkAllOfFull(ref version);
    }

    private bool TryMarkAllIfNotFull(ref ulong version)
    {
        ulong marked = table.TagRemoval.TryMarkAll(out PileException? failure);
        // During a rebuild no entry goes first: an older block of its key, which the walk has yet to find, would come back.
        if (failure != null && (failure is not PileFullException || table.Visibility.IsRebuilding))
            throw failure;
        if (failure == null)
            version = marked;
        return failure == null;
    }

    private bool TryMarkAllOfFull(ref ulong version)
    {
        ulong untilNextTry = 1; // doubled each time: logarithmically many tries
        for (ulong number = 0; number < table.Index.BucketCount; number++)
        {
            // Without a mark, one bucket after the other: others see some entries gone, and some not yet.
            DropUpTo(number, version, isMarked: false);
            if (number + 1 < untilNextTry)
                continue;
            untilNextTry *= 2;
            if (TryMarkAllIfNotFull(ref version))
                return true; // else the next buckets free more
        }
        if (table.RemovalLog.Removed == null)
            return false;
        version = table.TagRemoval.TryMarkAll(out PileException? failure); // entries that the index does not know yet need the mark
        return failure == null ? true : throw failure;
    }

    private void DropUpTo(ulong number, ulong version, bool isMarked)
    {
        using ChangeScope scope = table.EnterWriter();
        using LockedBucket bucket = table.Index.LockBucket(number); // one bucket at a time: calls go on
        foreach (SlotPlace place in bucket.Slots)
        {
            if (table.Entries.TryViewLocked(place, out LockedEntry entry) && entry.Head.Version <= version)
                table.Delete.DropLocked(scope.Critical, entry, Counter.Removals, isCall: !isMarked);
        }
    }
}
