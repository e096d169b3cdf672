using BigPile.Access;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Reporting;

namespace BigPile.Caching.Operations;

/// <summary>Removes everything: a mark invalidates all entries at one instant, then they are freed bucket by bucket.</summary>
internal static class Clearing
{
    /// <summary>Removes all entries that were put before.</summary>
    /// <param name="core">The table.</param>
    /// <param name="gauge">Counts the buckets that are done.</param>
    internal static void Clear(this TableCore core, ProgressGauge gauge)
    {
        if (!core.TryMarkAllAndSpilled(out ulong version))
            return;
        // All entries up to the version read as missing now. What follows only frees them.
        for (ulong number = 0; number < core.Index.BucketCount; number++) // splits move entries to higher buckets only
        {
            CrashPoints.Pass(CrashPoint.ClearBeforeDropped);
            core.DropUpTo(number, version);
            gauge.Advance(1);
        }
        CrashPoints.Pass(CrashPoint.ClearBeforeMarkFreed);
        // The mark goes last: until then it hides what is left, also after a kill. During a rebuild the walk may still find such entries.
        if (!core.IsRebuilding)
            _ = core.DropMarksUpTo(version, allOnly: true);
    }

    // Spilled entries are removed without a mark: all stripe locks are held until they are gone, so none is moved or put meanwhile.
    private static bool TryMarkAllAndSpilled(this TableCore core, out ulong version)
    {
        if (core.Spill is not { } spill)
            return core.TryMarkOrFreeAll(out version);
        bool isMarked = false;
        ulong upTo = 0;
        spill.ClearAfter(() => isMarked = core.TryMarkOrFreeAll(out upTo));
        version = upTo;
        return isMarked;
    }

    /// <summary>Marks all entries as removed. In a full pile, entries are freed first until there is space for the mark.</summary>
    /// <returns><see langword="false"/> when all entries were freed and there was still no space.</returns>
    private static bool TryMarkOrFreeAll(this TableCore core, out ulong version)
    {
        version = core.Pile.Engine.Versions.Last; // in a full pile these are freed without a mark
        return Mutation.ClearUnmarked || core.TryMarkAllIfNotFull(ref version) || core.TryMarkAllOfFull(ref version);
    }

    private static bool TryMarkAllIfNotFull(this TableCore core, ref ulong version)
    {
        ulong marked = core.TryMarkAll(out PileException? failure);
        if (failure is not (null or PileFullException))
            throw failure;
        if (failure == null)
            version = marked;
        return failure == null;
    }

    private static bool TryMarkAllOfFull(this TableCore core, ref ulong version)
    {
        ulong untilNextTry = 1; // doubled each time: logarithmically many tries
        for (ulong number = 0; number < core.Index.BucketCount; number++)
        {
            // Without a mark, one bucket after the other: others see some entries gone, and some not yet.
            core.DropUpTo(number, version);
            if (number + 1 < untilNextTry)
                continue;
            untilNextTry *= 2;
            if (core.TryMarkAllIfNotFull(ref version))
                return true; // else the next buckets free more
        }
        if (!core.IsRebuilding)
            return false;
        version = core.TryMarkAll(out PileException? failure); // entries that the index does not know yet need the mark
        return failure == null ? true : throw failure;
    }

    private static void DropUpTo(this TableCore core, ulong number, ulong version)
    {
        using ChangeScope scope = core.EnterWriter();
        using LockedBucket bucket = core.Index.LockBucket(number); // one bucket at a time: calls go on
        foreach (SlotPlace place in bucket.Slots)
        {
            if (core.TryViewLocked(place, out LockedEntry entry) && entry.Head.Version <= version)
                core.DropLocked(scope.Critical, entry, Counter.Removals);
        }
    }
}
