using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Reporting;

namespace BigPile.Caching.Operations;

/// <summary>Removes everything: a mark outdates all entries at one instant, and then they are freed bucket by bucket.</summary>
internal static class Clearing
{
    /// <summary>Removes all entries that were put before.</summary>
    /// <param name="core">The table.</param>
    /// <param name="gauge">Counts the buckets.</param>
    internal static void Clear(this TableCore core, ProgressGauge gauge)
    {
        ulong version = Fault.ClearUnmarked ? core.Pile.Keeper.Versions.Last : core.MarkAll();
        for (ulong number = 0; number < core.Index.BucketCount; number++) // entries move to higher buckets only
        {
            KillPoint.Pass(KillWindow.ClearBeforeDropped);
            core.DropUpTo(number, version);
            gauge.Advance(1);
        }
        KillPoint.Pass(KillWindow.ClearBeforeMarkFreed);
        if (!core.IsRebuilding)
            core.DropMarksUpTo(version, allOnly: true);
    }

    private static void DropUpTo(this TableCore core, ulong number, ulong version)
    {
        ThreadPresence presence = core.EnterToChange();
        try
        {
            using LockedBucket bucket = core.Index.LockBucket(number);
            foreach (SlotPlace place in bucket.Slots)
            {
                if (core.TryViewLocked(place, out LockedEntry entry) && entry.Head.Version <= version)
                    core.DropLocked(presence, entry, Counter.Removals);
            }
        }
        finally
        {
            core.Pile.Space.ExitAfterFree(presence);
        }
    }
}
