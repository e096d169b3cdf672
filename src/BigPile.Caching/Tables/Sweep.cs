using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Liveness;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Frees entries that have expired or were removed by tag, a part of the buckets at a time.</summary>
/// <remarks>One sweep of a table runs at a time: it holds the sweep lock, which guards all fields.</remarks>
internal sealed unsafe class Sweep(TableEngine table)
{
    private const int BucketsForSpace = 64; // for one refused put
    private const int BucketsAtOnce = 4096; // between two checks of the cancellation
    private const long PauseTicks = TimeSpan.TicksPerSecond; // of sweeps for the full pile, after a round that freed nothing
    private const int RecordsAtOnce = 4096; // of the file, between two checks

    private TinySpinLock _sweepLock; // held for a sweep of some buckets or records
    private ulong _next; // the next bucket
    private long _freedBytes; // so far, with what entries owned
    private ulong _barren; // buckets that a sweep for the pile visited since it last freed something
    private long _pausedUntil; // for the pile, in cache time; also read without the lock
    private bool _hasExpirables; // the round met an entry that may expire or be removed by tag later
    private bool _coversAllEntries; // a mark of a clear existed when the round began: every line is visited

    // The version up to which tag marks are dropped at the end of the round: the last mark when the round began; 0 where an inspection
    // inserted entries meanwhile.
    private ulong _marksUpTo;

    internal int BucketsToSweep => (int)Math.Min(int.MaxValue, table.Index.BucketCount);

    /// <summary>Sweeps some buckets, from where the last sweep ended.</summary>
    /// <param name="maxBuckets">The number of buckets.</param>
    /// <param name="waits">Whether to wait for a running sweep; else nothing is done while one runs.</param>
    /// <returns>The number of entries freed.</returns>
    internal int Memory(int maxBuckets, bool waits = false)
    {
        if (!table.Content.HasExpirables || table.Visibility.IsRebuilding)
            return 0;
        long now = table.Clock.Now; // before the lock: the clock may be application code
        if (waits)
            _sweepLock.Enter();
        else if (!_sweepLock.TryEnter())
            return 0;
        try
        {
            int freed = 0;
            for (int i = 0; i < maxBuckets; i++)
                freed += SweepNext(now);
            return freed;
        }
        finally
        {
            _sweepLock.Exit();
        }
    }

    /// <summary>Does something while no sweep runs.</summary>
    internal void Stopped(Action action)
    {
        _sweepLock.Enter();
        try
        {
            action();
        }
        finally
        {
            _sweepLock.Exit();
        }
    }

    /// <summary>Sweeps the next records in the file; does nothing while another sweep runs.</summary>
    internal int Spilled(int maxRecords)
    {
        if (table.Disk is not { } disk || !table.Content.HasExpirables || table.Visibility.IsRebuilding || !_sweepLock.TryEnter())
            return 0;
        try
        {
            return disk.SweepLocked(maxRecords);
        }
        finally
        {
            _sweepLock.Exit();
        }
    }

    /// <summary>Sweeps memory and file, and evicts what is over a limit.</summary>
    /// <returns>The number of entries freed, without those over a limit.</returns>
    internal long All(CancellationToken stop)
    {
        long freed = 0;
        table.Clock.Follow();
        table.Shrink.Evict(int.MaxValue, stop);
        for (int left = BucketsToSweep; left > 0 && !stop.IsCancellationRequested; left -= BucketsAtOnce)
            freed += Memory(Math.Min(left, BucketsAtOnce), waits: true);
        table.Touch.Drain(waits: true); // last, as what it frees is not counted
        return freed + AllSpilled(stop);
    }

    /// <summary>Sweeps a little for a refused put: dead entries of high priority may have kept it out.</summary>
    /// <returns>Whether anything was freed. Does nothing in a critical region, where another thread may wait for this one.</returns>
    internal bool TryForSpace() => table.Limits.AreOn && !PileRegions.Current.IsOpen && Memory(BucketsForSpace) != 0;

    /// <summary>The number of calls of <see cref="TryForSpace"/> that cover the whole table.</summary>
    internal int CallsForSpace() => BucketsToSweep / BucketsForSpace + 1;

    /// <summary>Sweeps some buckets for a put that the full pile would refuse. The caller is outside of critical regions.</summary>
    /// <remarks>
    /// A whole round that frees nothing is followed by a pause. The sweep lock is only tried: the caller may hold a stripe's, which comes
    /// after it.
    /// </remarks>
    /// <param name="bytes">Enough.</param>
    /// <param name="buckets">How many may be visited; reduced by those that were.</param>
    /// <returns>The bytes freed.</returns>
    internal long ForPile(long bytes, ref int buckets)
    {
        if (!table.Content.HasExpirables || table.Visibility.IsRebuilding)
            return 0;
        long now = table.Clock.Now;
        if (now < Volatile.Read(ref _pausedUntil) || !_sweepLock.TryEnter())
            return 0;
        try
        {
            long before = _freedBytes;
            for (; buckets > 0 && _freedBytes - before < bytes && _barren < table.Index.BucketCount; buckets--)
                _barren = SweepNext(now) != 0 ? 0 : _barren + 1;
            if (_barren >= table.Index.BucketCount)
            {
                _barren = 0;
                Volatile.Write(ref _pausedUntil, now + PauseTicks);
            }
            return _freedBytes - before;
        }
        finally
        {
            _sweepLock.Exit();
        }
    }

    /// <summary>
    /// An entry may have been inserted into a bucket that the sweep has passed: the marks that concern it stay for another round.
    /// </summary>
    /// <param name="then">Done while no sweep runs.</param>
    internal void RestartRound(Action then)
    {
        using TinySpinLock.Scope held = _sweepLock.EnterScope();
        _marksUpTo = 0;
        table.Disk?.ForgetRoundsLocked();
        then();
    }

    private long AllSpilled(CancellationToken stop)
    {
        if (table.Disk is not { } disk || !table.Content.HasExpirables)
            return 0;
        long freed = 0;
        for (bool isFirst = true; !stop.IsCancellationRequested; isFirst = false)
        {
            using TinySpinLock.Scope held = _sweepLock.EnterScope();
            if (isFirst)
                disk.RestartSweepLocked(); // a round of its own
            freed += disk.SweepLocked(RecordsAtOnce);
            if (!disk.IsSweepUnderWayLocked)
                break;
        }
        return freed;
    }

    private int SweepNext(long now)
    {
        Debug.Assert(_next < table.Index.BucketCount, "An index never shrinks.");
        Debug.Assert(_sweepLock.IsTaken, "One sweep at a time: two would visit the same buckets.");
        int freed = SweepAt(_next, now);
        if (++_next < table.Index.BucketCount)
            return freed;
        _next = 0;
        // The round has visited every bucket since these marks were read, so they concern nothing in memory.
        if (table.Disk is { } disk)
            disk.EndMemoryRoundLocked(_marksUpTo);
        else
            _ = table.TagRemoval.DropMarksUpTo(_marksUpTo, allOnly: false); // not nested: it may wait for a pause
        // What was added behind the sweep has set HadExpirable again: the flag stays for it.
        bool isFree = !_hasExpirables && !table.Content.HadExpirable && table.Tags.Count == 0;
        if (isFree && table.Disk == null && table.RemovalLog.Removed == null && !table.Visibility.IsRebuilding)
            table.Content.EndExpirablesRound();
        return freed;
    }

    private int SweepAt(ulong number, long now)
    {
        using ChangeScope scope = table.EnterWriter();
        if (number == 0)
            BeginRound();
        int freed = _coversAllEntries || table.Disk != null || MayHoldExpirables(number) ? SweepBucket(scope.Critical, number, now) : 0;
        // Entries of a bucket that was passed may be in one that is not counted yet: the round goes on with it.
        if (number + 1 == table.Index.BucketCount)
            table.Index.WaitForSplit();
        return freed;
    }

    private void BeginRound()
    {
        // Before the marks are read: one that is published after that sets the flag again, and is left to the next round.
        table.Content.BeginExpirablesRound();
        _hasExpirables = false;
        (_marksUpTo, _coversAllEntries) = table.Tags.Described; // marks that come during the round are not covered
    }

    // Read without the lock: an entry inserted meanwhile is newer than the marks. A promoted entry is older, so a table that spills has
    // every bucket locked instead. Where an older entry changes its line, the state changes in a split, else the count of moves.
    private bool MayHoldExpirables(ulong number)
    {
        byte state = table.Index.At(number)->State;
        uint moves = table.Index.Locks.MovesIn(number); // acquire, before the lines
        if (Bucket.IsMoving(state))
            return true;
        foreach (Bucket* line in table.Index.LinesOf(number))
        {
            if (line->MayExpire)
                return true;
        }
        Volatile.ReadBarrier(); // pairs with the barriers of Bucket.BeginMoveLocked and BucketLocks.CountMove
        return state != table.Index.At(number)->State || moves != table.Index.Locks.MovesIn(number);
    }

    private int SweepBucket(CriticalRegion critical, ulong number, long now)
    {
        int freed = 0;
        using LockedBucket bucket = table.Index.LockBucket(number);
        foreach (Bucket* line in bucket.Lines)
        {
            if (_coversAllEntries || line->MayExpire)
                freed += SweepLineLocked(critical, line, now);
        }
        return freed;
    }

    private int SweepLineLocked(CriticalRegion critical, Bucket* line, long now)
    {
        int freed = 0;
        bool isAnyLeft = false;
        foreach (SlotPlace place in Bucket.SlotsOf(line))
        {
            if (!table.Entries.TryViewLocked(place, out LockedEntry entry))
                continue;
            EntryState state = table.Liveness.Of(entry.Head, ref now);
            if (state.IsDead())
            {
                _freedBytes +=
                    table.Heap.FootprintBytesOf(entry.PayloadBytes) + table.Entries.OwnedBytesOf(entry.Head, entry.PayloadBytes);
                table.Delete.DropLocked(critical, entry, state.Reason());
                freed++;
            }
            else
            {
                isAnyLeft |= entry.Head.MayBeDead;
            }
        }
        if (!isAnyLeft)
            line->ClearExpiry(); // under the lock, under which puts mark lines
        _hasExpirables |= isAnyLeft;
        return freed;
    }
}
