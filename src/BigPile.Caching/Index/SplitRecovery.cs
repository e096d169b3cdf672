using System.Numerics;
using BigPile.Checking;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Index;

/// <summary>Finishes or undoes the split that a kill may have interrupted. It needs the two buckets only.</summary>
/// <remarks>
/// While the old bucket has its old level, no thread has found the new bucket, which is emptied: undo. Once the level is raised, all
/// copies are complete: the copied slots of the old bucket are cleared, and the new bucket is counted: finish. A raised level without all
/// copies can only be damage, and is undone as well. The recovery is idempotent. Nobody uses the index yet.
/// </remarks>
/// <param name="index">The index.</param>
/// <param name="oldNumber">The next bucket to split.</param>
/// <param name="bornNumber">The number of the bucket that its split makes.</param>
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

    // A kill while a slot was moved forward from an overflow line leaves it twice.
    private static void DropDuplicates(in LockedBucket old)
    {
        foreach (SlotPlace place in old.Slots)
        {
            if (old.Slots.HasBefore(place))
                place.Store(default);
        }
    }
}
