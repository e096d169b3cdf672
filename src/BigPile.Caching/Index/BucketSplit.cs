using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Caching.Index;

/// <summary>Moves those entries of a bucket whose hash has one more bit set to the bucket that was born for them.</summary>
/// <remarks>
/// Order: copies in the new bucket, which nobody finds yet; level of the old one raised; what was moved cleared there, and what is left
/// in overflow lines brought forward; number of buckets. Between, a key may be in both: a writer waits for the locks, and a reader that
/// comes upon the older copy reads the same block. If the copies can't all be placed, nothing has changed. What a kill leaves is undone
/// while the level is the old one, and finished once it is raised: <see cref="SplitRecovery"/>.
/// <para>
/// Compiled in full at the first call: a table grows most while its process is young, and code that is compiled for a quick start, where
/// each slot costs some calls, took a quarter of the time of its puts.
/// </para>
/// </remarks>
internal readonly unsafe struct BucketSplit(TableIndex index, int level)
{
    internal void Run(in LockedBucket old, in LockedBucket born)
    {
        Debug.Assert(old.First->Level == level, "The bucket is the one whose turn it is.");
        Debug.Assert(born.Number == old.Number + (1UL << level), "The new bucket is the one that the next bit of the hash leads to.");
        if (old.First->Next == 0 && !Mutation.SplitUnmarked)
            RunLine(old.First, born.First);
        else
            RunLines(old, born);
    }

    // Most buckets are one line, with few entries where an index grows ahead of them: nothing can fail, and nothing is brought forward.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void RunLine(Bucket* old, Bucket* born)
    {
        uint copied = 0;
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
        {
            if (!BelongsToNew(Bucket.Load(old, slot)))
                continue;
            Move(new SlotPlace(old, slot), new SlotPlace(born, BitOperations.PopCount(copied)));
            copied |= 1u << slot;
        }
        CrashPoints.Pass(CrashPoint.SplitBeforeRaised);
        old->BeginMoveLocked();
        for (; copied != 0; copied &= copied - 1)
        {
            CrashPoints.Pass(CrashPoint.SplitBetweenCleared);
            Bucket.Store(old, BitOperations.TrailingZeroCount(copied), default);
        }
        CrashPoints.Pass(CrashPoint.SplitBeforeEnded);
        old->EndMoveLocked();
    }

    private void RunLines(in LockedBucket old, in LockedBucket born)
    {
        index.EndChainLocked(old.First); // going round and round, each slot would be copied each time
        try
        {
            CopyToNew(old, born);
        }
        catch
        {
            Empty(born); // no reader can have found it: the old bucket still has the old level
            throw;
        }
        if (Mutation.SplitUnmarked)
            ClearCopied(old);
        CrashPoints.Pass(CrashPoint.SplitBeforeRaised);
        old.First->BeginMoveLocked();
        Finish(old);
    }

    /// <summary>Clears what was moved, and ends the move.</summary>
    internal void Finish(in LockedBucket old)
    {
        ClearCopied(old);
        BringForward(old.First);
        CrashPoints.Pass(CrashPoint.SplitBeforeEnded);
        FreeEmptyTail(old);
        old.First->EndMoveLocked();
    }

    /// <summary>Takes out all slots of a bucket that nobody finds.</summary>
    internal void Empty(in LockedBucket born)
    {
        foreach (SlotPlace place in born.Slots)
            place.Store(default);
        FreeEmptyTail(born);
    }

    /// <summary>Whether a slot leaves the old bucket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool BelongsToNew(IndexSlot slot) =>
        (slot.Word >> (BlockAddress.Bits + level - IndexSlot.BucketHashBits) & 1) != 0;

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void CopyToNew(in LockedBucket old, in LockedBucket born)
    {
        foreach (SlotPlace place in old.Slots)
        {
            if (!BelongsToNew(place.Value))
                continue;
            _ = index.TryFindEmptyLocked(born, int.MaxValue, out SlotPlace free);
            Move(place, free);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Move(SlotPlace from, SlotPlace to)
    {
        to.Line->SetFrequency(to.Slot, from.Line->Frequency(from.Slot));
        to.Line->SetInMain(to.Slot, from.Line->IsInMain(from.Slot));
        if (from.Line->MayExpire)
            to.Line->MarkExpiry();
        to.Store(from.Value);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void ClearCopied(in LockedBucket old)
    {
        foreach (SlotPlace place in old.Slots)
        {
            if (!BelongsToNew(place.Value))
                continue;
            CrashPoints.Pass(CrashPoint.SplitBetweenCleared);
            place.Store(default);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void BringForward(Bucket* old)
    {
        foreach (SlotPlace place in new BucketSlots(index, index.Next(old)))
        {
            int free = Bucket.FindEmptyLocked(old);
            if (free < 0)
                return;
            Move(place, new SlotPlace(old, free));
            CrashPoints.Pass(CrashPoint.SplitBetweenBroughtForward);
            place.Store(default);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void FreeEmptyTail(in LockedBucket bucket)
    {
        while (index.Next(bucket.First) != null)
        {
            Bucket* before = bucket.First;
            int lines = 1;
            while (index.Next(index.Next(before)) != null && ++lines < TableIndex.MostLines) // the last line but one
                before = index.Next(before);
            Bucket* last = index.Next(before);
            if (lines == TableIndex.MostLines)
                index.CutLocked(before); // it goes round and round
            else if (last->Next != 0)
                index.CutLocked(last); // it leads to a line that there is not
            else if (last->IsFree)
                index.CutLocked(before); // another bucket led to it as well, and has given it back
            else if (!Bucket.IsEmptyLocked(last))
                return;
            else
                index.Overflow.Return(before, index.NameOf(bucket, before));
        }
    }
}
