using System;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>Growth, bucket by bucket, and its recovery after a kill.</summary>
internal sealed unsafe partial class TableIndex
{
    private const int MaxSplitsAtOnce = 16;
    private const int MaxSplitsAhead = 512;

    private TinySpinLock _splitting; // held by the one thread that splits buckets

    /// <summary>Splits some of the buckets that a number of entries needs. Returns at once if another thread is splitting.</summary>
    internal void GrowFor(long entries)
    {
        if ((long)BucketCount >= WantedFor(entries) || !_splitting.TryEnter())
            return;
        try
        {
            _ = IsMoreToSplitLocked(entries, MaxSplitsAtOnce);
        }
        finally
        {
            _splitting.Exit();
        }
    }

    /// <summary>As <see cref="GrowFor"/>, but more at a time and for expected entries: splits buckets before they fill.</summary>
    /// <returns>Whether more buckets have to be split.</returns>
    internal bool GrowAheadFor(long entries)
    {
        if ((long)BucketCount >= WantedFor(entries))
            return false;
        using TinySpinLock.Scope held = _splitting.EnterScope(); // a short wait: GrowFor splits a few buckets only
        return IsMoreToSplitLocked(entries, MaxSplitsAhead);
    }

    private bool IsMoreToSplitLocked(long entries, int maxSplits)
    {
        try
        {
            for (int i = 0; (long)BucketCount < WantedFor(entries); i++)
            {
                if (i == maxSplits)
                    return true;
                if (!TrySplitNextLocked())
                    return false;
            }
        }
        catch (Exception e) when (e is OutOfMemoryException or IOException or PileException)
        {
            // No entry is lost. Buckets are fuller than they should be until there is memory, or disk space, again.
        }
        return false;
    }

    /// <summary>How many entries moved to an earlier line, of this bucket and of others. Acquire.</summary>
    /// <param name="hash">A hash that the bucket has.</param>
    /// <param name="state">Its state.</param>
    internal uint MovesIn(ulong hash, byte state) => Locks.MovesIn(hash & MaskOf(Bucket.LevelOf(state)));

    /// <summary>Finishes or undoes what a kill interrupted: the transit of a line, and a split. Nobody uses the index yet.</summary>
    internal void Recover()
    {
        Overflow.Recover(FindByName);
        ulong count = BucketCount;
        ulong old = count - (1UL << BitOperations.Log2(count));
        if (!_place.Buckets.MayHave(count))
            return; // no split was under way: it makes the new bucket first
        _lines.Ensure(count);
        new SplitRecovery(this, old, count).Run();
    }

    /// <summary>Discards any record of a line in transit. The index was closed, so the record is damaged or stale.</summary>
    internal void ForgetBegun() => Overflow.ForgetOnItsWay();

    private void Make(ulong buckets)
    {
        _lines.EnsureAll(buckets, touches: true);
        int level = BitOperations.Log2(buckets);
        for (ulong bucket = 0; bucket < buckets; bucket++)
            _lines.At(bucket)->Initialize(level);
        _head->SetBucketCount(buckets);
        Volatile.Write(ref _bucketCount, buckets);
    }

    /// <summary>Counts a new bucket.</summary>
    internal void CountBorn(ulong number)
    {
        Debug.Assert(number == BucketCount, "Buckets are split in turn.");
        _head->SetBucketCount(number + 1); // before _bucketCount: no thread uses a bucket that a kill would lose
        Volatile.Write(ref _bucketCount, number + 1);
    }

    /// <summary>Waits until a split that is under way has counted its bucket.</summary>
    internal void WaitForSplit()
    {
        ulong count = BucketCount;
        LockBucket(count - (1UL << BitOperations.Log2(count))).Dispose(); // locked over the whole split
    }

    private nint FindByName(ulong name)
    {
        bool isOverflow = (name & IndexHead.OverflowBit) != 0;
        if (name == IndexHead.MarksName)
            return (nint)(&_head->Marks);
        ulong number = name & ~IndexHead.OverflowBit;
        return isOverflow ? (nint)Overflow.Find((uint)number) : number <= BucketCount && _lines.IsThere(number) ? (nint)At(number) : 0;
    }

    private static long WantedFor(long entries) => (long)(entries / EntriesPerBucket);

    private bool TrySplitNextLocked()
    {
        ulong count = BucketCount;
        int level = BitOperations.Log2(count);
        if (level >= MaxLevel || (_lines.BytesToReach(count) is > 0 and long bytes && !MayGrowBy(bytes)))
            return false;
        _lines.Ensure(count);
        using LockedBucket old = LockBucket(count - (1UL << level));
        using BornLock born = LockBorn(old, count);
        born.Bucket.First->Initialize(level + 1);
        new BucketSplit(this, level).Run(old, born.Bucket);
        CrashPoints.Pass(CrashPoint.SplitBeforeCounted);
        CountBorn(count);
        return true;
    }

    /// <summary>Locks the bucket that a split makes. The old one is locked before it; only the thread that splits holds two.</summary>
    internal BornLock LockBorn(in LockedBucket old, ulong number) => new(this, old, number);
}

/// <summary>Holds the lock of a split's new bucket until disposed. Takes none if the old bucket's lock is the same one.</summary>
internal readonly ref struct BornLock
{
    private readonly TableIndex _index;
    private readonly bool _isOwn; // whether Dispose releases the lock: the new bucket does not share the old one's

    /// <summary>Takes the lock.</summary>
    internal unsafe BornLock(TableIndex index, in LockedBucket old, ulong number)
    {
        _index = index;
        _isOwn = !index.Locks.IsShared(old.Number, number);
        if (_isOwn)
            index.Locks.Enter(number);
        Bucket = new LockedBucket(index, index.At(number), number);
    }

    /// <summary>The new bucket. Do not dispose it: this type releases its lock.</summary>
    internal LockedBucket Bucket { get; }

    public void Dispose()
    {
        if (_isOwn)
            _index.Locks.Exit(Bucket.Number);
    }
}
