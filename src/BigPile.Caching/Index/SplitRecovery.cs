using System.Numerics;
using BigPile.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>Finishes or undoes the split that a killed process may have been at: by what stands in the two buckets alone.</summary>
/// <remarks>
/// While the old bucket has its old level, nobody has found the new one: what is there is taken out. Once the level is raised the copies
/// are whole: what was moved is cleared in the old bucket, and the new one counts. A level that is raised without copies can only be
/// damaged. Done again after a kill in between, it leaves the same. Nobody uses the index yet.
/// </remarks>
/// <param name="index">The index.</param>
/// <param name="oldNumber">The bucket whose turn it is to be split.</param>
/// <param name="bornNumber">The first bucket that there is not yet.</param>
internal readonly unsafe struct SplitRecovery(TableIndex index, ulong oldNumber, ulong bornNumber)
{
    internal void Run()
    {
        int level = BitOperations.Log2(bornNumber);
        using LockedBucket old = index.LockAsFound(oldNumber);
        using BornLock bornLock = index.LockBorn(old, bornNumber);
        LockedBucket born = bornLock.Bucket;
        var split = new BucketSplit(index, level);
        if (old.First->Level == level + 1 && AreAllCopied(split, old, born))
            Finish(split, old, born, level);
        else
            Undo(split, old, born, level);
    }

    private static void Undo(in BucketSplit split, in LockedBucket old, in LockedBucket born, int level)
    {
        old.First->SetLevelLocked(level);
        split.Empty(born);
    }

    private void Finish(in BucketSplit split, in LockedBucket old, in LockedBucket born, int level)
    {
        born.First->SetLevelLocked(level + 1);
        old.First->GoOnMovingLocked();
        DropDuplicates(old);
        split.Finish(old);
        CrashPoints.Pass(CrashPoint.SplitBeforeCounted);
        index.CountBorn(bornNumber);
    }

    private static bool AreAllCopied(in BucketSplit split, in LockedBucket old, in LockedBucket born)
    {
        foreach (SlotPlace place in old.Slots)
        {
            if (split.BelongsToNew(place.Value) && !born.Slots.Has(place.Value))
                return false;
        }
        return true;
    }

    // What was being brought forward may be in two places.
    private static void DropDuplicates(in LockedBucket old)
    {
        foreach (SlotPlace place in old.Slots)
        {
            if (old.Slots.HasBefore(place))
                place.Store(default);
        }
    }
}
