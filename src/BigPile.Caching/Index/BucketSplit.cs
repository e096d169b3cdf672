using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Index;

/// <summary>Splits a bucket: moves the entries whose hash has the next bit set to a new bucket.</summary>
/// <remarks>
/// <para>
/// Steps: (1) copy the slots to the new bucket, which no reader finds yet; (2) raise the level of the old bucket; (3) clear the copied
/// slots there, and move the rest forward from overflow lines; (4) count the new bucket. In between a key may be in both buckets: writers
/// wait for the locks, and a reader that finds the older copy reads the same block. If a copy fails, nothing has changed. After a kill
/// <see cref="SplitRecovery"/> undoes a split before step 2, and finishes it from there on.
/// </para>
/// <para>
/// The methods are optimized at their first call: a table grows most while its process is young, and in unoptimized code splits took a
/// quarter of the time of its puts.
/// </para>
/// </remarks>
internal readonly unsafe struct BucketSplit(TableIndex index, int level)
{
    internal void Run(in LockedBucket old, in LockedBucket born)
    {
        Debug.Assert(old.First->Level == level, "The bucket is the next one to split.");
        Debug.Assert(born.Number == old.Number + (1UL << level), "The new bucket's number has the next bit of the hash set.");
        if (old.First->Next == 0 && !Mutation.SplitUnmarked)
            RunLine(old.First, born.First);
        else
            RunLines(old, born);
    }

    // The fast path for a bucket of one line, which most are: no line has to be added, so nothing can fail.
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
        index.EndChainLocked(old.First); // in a damaged chain with a cycle each slot would be copied again and again
        try
        {
            CopyToNew(old, born);
        }
        catch
        {
            Empty(born); // no reader has found it: the old bucket still has the old level
            throw;
        }
        if (Mutation.SplitUnmarked)
            ClearCopied(old);
        CrashPoints.Pass(CrashPoint.SplitBeforeRaised);
        old.First->BeginMoveLocked();
        Finish(old);
    }

    /// <summary>Clears the copied slots of the old bucket, and ends the split there.</summary>
    internal void Finish(in LockedBucket old)
    {
        ClearCopied(old);
        BringForward(old.First);
        CrashPoints.Pass(CrashPoint.SplitBeforeEnded);
        FreeEmptyTail(old);
        old.First->EndMoveLocked();
    }

    /// <summary>Clears all slots of a new bucket that no reader finds yet.</summary>
    internal void Empty(in LockedBucket born)
    {
        foreach (SlotPlace place in born.Slots)
            place.Store(default);
        FreeEmptyTail(born);
    }

    /// <summary>Whether a slot of the old bucket belongs to the new one: the next bit of its hash is set.</summary>
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
            _ = index.TryFindEmptyLocked(born, int.MaxValue, out SlotPlace free, out PileException? failure);
            if (failure != null)
                throw failure;
            Move(place, free);
        }
    }

    /// <summary>Copies a slot with its marks.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Move(SlotPlace from, SlotPlace to)
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
                index.CutLocked(before); // damage: the chain has a cycle
            else if (last->Next != 0)
                index.CutLocked(last); // damage: the next line does not exist
            else if (last->IsFree)
                index.CutLocked(before); // damage: another bucket shared the line, and has returned it
            else if (!Bucket.IsEmptyLocked(last))
                return;
            else
                _ = index.Overflow.TryShorten(bucket, before, index.NameOf(bucket, before));
        }
    }
}
