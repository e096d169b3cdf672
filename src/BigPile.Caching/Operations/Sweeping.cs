using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Frees entries that have expired or were removed by tag, a part of the buckets at a time.</summary>
internal static unsafe class Sweeping
{
    private const int BucketsForSpace = 64; // for one refused put
    private const int BucketsAtOnce = 4096; // between two checks of the cancellation

    /// <summary>Sweeps some buckets, from where the last sweep ended. One sweep runs at a time.</summary>
    /// <param name="core">The table.</param>
    /// <param name="maxBuckets">The number of buckets.</param>
    /// <param name="waits">Whether to wait for a running sweep; else nothing is done while one runs.</param>
    /// <returns>The number of entries freed.</returns>
    internal static int SweepMemory(this TableCore core, int maxBuckets, bool waits = false)
    {
        if (!core.HasExpirables || core.IsRebuilding)
            return 0;
        long now = core.Clock.Now; // before the lock: the clock may be application code
        if (waits)
            core.SweepPlace.SweepLock.Enter();
        else if (!core.SweepPlace.SweepLock.TryEnter())
            return 0;
        try
        {
            int freed = 0;
            for (int i = 0; i < maxBuckets; i++)
                freed += core.SweepNext(now);
            return freed;
        }
        finally
        {
            core.SweepPlace.SweepLock.Exit();
        }
    }

    /// <summary>Sweeps memory and file, and evicts what is over a limit.</summary>
    /// <returns>The number of entries freed, without those over a limit.</returns>
    internal static long SweepAll(this TableCore core, CancellationToken stop)
    {
        long freed = 0;
        core.Clock.Follow();
        core.EvictSurplus(int.MaxValue, stop);
        for (int left = core.BucketsToSweep(); left > 0 && !stop.IsCancellationRequested; left -= BucketsAtOnce)
            freed += core.SweepMemory(Math.Min(left, BucketsAtOnce), waits: true);
        core.DrainReadBuffer(waits: true); // last, as what it frees is not counted
        return freed + core.SweepAllSpilled(stop);
    }

    /// <summary>Sweeps a little for a refused put: dead entries of high priority may have kept it out.</summary>
    /// <returns>Whether anything was freed. Does nothing in a critical region, where another thread may wait for this one.</returns>
    internal static bool TrySweepForSpace(this TableCore core) =>
        core.Evictor != null && !PileRegions.Current.IsOpen && core.SweepMemory(BucketsForSpace) != 0;

    /// <summary>The number of calls of <see cref="TrySweepForSpace"/> that cover the whole table.</summary>
    internal static int SweepsForSpace(this TableCore core) => core.BucketsToSweep() / BucketsForSpace + 1;

    /// <summary>The number of buckets of a full sweep.</summary>
    internal static int BucketsToSweep(this TableCore core) => (int)Math.Min(int.MaxValue, core.Index.BucketCount);

    private static int SweepNext(this TableCore core, long now)
    {
        SweepPlace place = core.SweepPlace;
        Debug.Assert(place.Next < core.Index.BucketCount, "An index never shrinks.");
        Debug.Assert(place.SweepLock.IsTaken, "One sweep at a time: two would visit the same buckets.");
        int freed = core.SweepAt(place.Next, now);
        if (++place.Next < core.Index.BucketCount)
            return freed;
        place.Next = 0;
        // The round has visited every bucket since these marks were read, so they concern nothing in memory.
        if (core.Spill is { } spill)
            spill.Sweep.EndMemoryRound(place.MarksUpTo);
        else
            _ = core.DropMarksUpTo(place.MarksUpTo, allOnly: false); // not nested: it may wait for a pause
        // What was added behind the sweep has set HadExpirable again: the flag stays for it.
        bool isFree = !place.HasExpirables && !core.HadExpirable && core.Tags.Count == 0;
        if (isFree && core.Spill == null && core.RemovedKeys == null && !core.IsRebuilding)
            core.EndExpirablesRound();
        return freed;
    }

    private static int SweepAt(this TableCore core, ulong number, long now)
    {
        SweepPlace place = core.SweepPlace;
        using ChangeScope scope = core.EnterWriter();
        if (number == 0)
            core.BeginRound(place);
        return place.CoversAllEntries || core.Spill != null || core.MayHoldExpirables(number)
            ? core.SweepBucket(scope.Critical, number, now)
            : 0;
    }

    private static void BeginRound(this TableCore core, SweepPlace place)
    {
        // Before the marks are read: one that is published after that sets the flag again, and is left to the next round.
        core.BeginExpirablesRound();
        place.HasExpirables = false;
        (place.MarksUpTo, place.CoversAllEntries) = core.Tags.Described; // marks that come during the round are not covered
    }

    // Read without the lock: an entry inserted meanwhile is newer than the marks. A promoted entry is older, so a table that spills has
    // every bucket locked instead.
    private static bool MayHoldExpirables(this TableCore core, ulong number)
    {
        foreach (Bucket* line in core.Index.LinesOf(number))
        {
            if (line->MayExpire)
                return true;
        }
        return false;
    }

    private static int SweepBucket(this TableCore core, CriticalRegion critical, ulong number, long now)
    {
        int freed = 0;
        using LockedBucket bucket = core.Index.LockBucket(number);
        foreach (Bucket* line in bucket.Lines)
        {
            if (core.SweepPlace.CoversAllEntries || line->MayExpire)
                freed += core.SweepLineLocked(critical, line, now);
        }
        return freed;
    }

    private static int SweepLineLocked(this TableCore core, CriticalRegion critical, Bucket* line, long now)
    {
        int freed = 0;
        bool isAnyLeft = false;
        foreach (SlotPlace place in Bucket.SlotsOf(line))
        {
            if (!core.TryViewLocked(place, out LockedEntry entry))
                continue;
            Liveness liveness = core.LivenessOf(entry.Head, ref now);
            if (liveness.IsDead())
            {
                core.DropLocked(critical, entry, liveness.Reason());
                freed++;
            }
            else
            {
                isAnyLeft |= entry.Head.MayBeDead;
            }
        }
        if (!isAnyLeft)
            line->ClearExpiry(); // under the lock, under which puts mark lines
        core.SweepPlace.HasExpirables |= isAnyLeft;
        return freed;
    }
}
