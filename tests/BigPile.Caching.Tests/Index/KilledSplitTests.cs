using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Index;

/// <summary>A split that a kill cut off, at each of its steps: by what stands in the lines it is finished or undone.</summary>
public sealed unsafe class KilledSplitTests
{
    public enum Step
    {
        Copying,
        Copied,
        Clearing,
        BringingForward,
        Ended,
        RaisedWithoutCopies,
    }

    public static TheoryData<Step> Steps => [.. Enum.GetValues<Step>()];

    [Theory]
    [MemberData(nameof(Steps))]
    public void A_split_that_was_cut_off_anywhere_is_finished_or_undone(Step step)
    {
        int seed = TestLeg.Seed((int)step + 40);
        var random = new Random(seed);
        for (int round = 0; round < TestLeg.Steps(60, 20_000); round++)
        {
            using var index = new TableIndex(new MemoryIndexStorage(), 0);
            for (int i = random.Next(400); i > 0; i--)
                index.GrowFor((long)(index.BucketCount * 4.2) + 20);
            ulong[] slots = Fill(index, random);
            ulong count = index.BucketCount;
            bool hasRelocated = CutOff(index, step, random) != 0;
            index.Recover();
            index.Recover(); // and once more, after a kill in between
            Assert.Equal(slots, All(index));
            bool isFinished =
                step is Step.Clearing or Step.BringingForward or Step.Ended || (step == Step.RaisedWithoutCopies && !hasRelocated);
            Assert.True(
                index.BucketCount == count + (isFinished ? 1u : 0u), $"seed {seed}, round {round}: {index.BucketCount}, was {count}");
            _ = new IndexCheck(index).Run();
            index.GrowFor(long.MaxValue / 2);
            Assert.Equal(slots, All(index));
            _ = new IndexCheck(index).Run();
        }
    }

    /// <summary>A damaged level may lead to a bucket that there is not yet, though its line is there.</summary>
    [Fact]
    public void A_level_that_is_too_high_is_mended_by_whoever_comes_by()
    {
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        while (index.BucketCount < 100)
            index.GrowFor((long)(index.BucketCount * 4.2) + 5);
        ulong number = OldOf(index) + 5; // its turn to be split has not come
        int level = index.At(number)->Level;
        index.At(number)->SetLevelLocked(level + 1);
        ulong hash = number | 1UL << level;
        System.Threading.Tasks.Task search = SideBySide.Start(() => _ = index.Find(hash, out _));
        Assert.True(search.Wait(Eventually.Timeout), "a search goes round");
        Assert.Equal(level, index.At(number)->Level);
    }

    private static ulong[] Fill(TableIndex index, Random random)
    {
        ulong old = OldOf(index);
        for (ulong address = 1; address < 1_000; address++)
            Add(index, (ulong)random.NextInt64(), address);
        for (int i = random.Next(40); i > 0; i--) // and some overflow lines where it happens
            Add(index, ((ulong)random.NextInt64() << BitOperations.Log2(index.BucketCount)) | old, 1_000 + (ulong)i);
        return All(index);
    }

    /// <summary>Does a split up to a step.</summary>
    /// <returns>How many slots it moves.</returns>
    internal static int CutOff(TableIndex index, Step step, Random random)
    {
        ulong number = index.BucketCount;
        int level = BitOperations.Log2(number);
        index.Lines.Ensure(number);
        LockedBucket old = index.LockBucket(OldOf(index));
        if (!index.Locks.IsShared(old.Number, number))
            index.Locks.Enter(number);
        var born = new LockedBucket(index, index.At(number), number);
        var split = new BucketSplit(index, level);
        born.First->Initialize(level + 1);
        SlotPlace[] relocated = [.. Taken(old).Where(place => split.BelongsToNew(place.Value))];
        if (step == Step.Ended)
            split.Run(old, born);
        else if (step != Step.RaisedWithoutCopies)
            Copy(index, born, step == Step.Copying ? relocated[..random.Next(relocated.Length + 1)] : relocated);
        if (step is Step.Clearing or Step.BringingForward or Step.RaisedWithoutCopies)
            old.First->BeginMoveLocked();
        if (step is Step.Clearing or Step.BringingForward)
            Clear(step == Step.Clearing ? relocated[..random.Next(relocated.Length + 1)] : relocated);
        if (step == Step.BringingForward)
            BringForward(index, old, random);
        if (!index.Locks.IsShared(old.Number, number))
            index.Locks.Exit(number);
        index.Locks.Exit(old.Number); // as a kill does, whatever the bucket says
        return relocated.Length;
    }

    private static void Copy(TableIndex index, in LockedBucket born, SlotPlace[] relocated)
    {
        foreach (SlotPlace place in relocated)
        {
            Assert.True(index.TryFindEmptyLocked(born, int.MaxValue, out SlotPlace free, out _));
            free.Store(place.Value);
        }
    }

    private static void Clear(SlotPlace[] places)
    {
        foreach (SlotPlace place in places)
            place.Store(default);
    }

    // The last one that is brought forward is in both places.
    private static void BringForward(TableIndex index, in LockedBucket old, Random random)
    {
        Bucket* second = index.Next(old.First);
        if (second == null)
            return;
        SlotPlace[] behind = [.. Places(new BucketSlots(index, second))];
        int count = random.Next(behind.Length + 1);
        for (int i = 0; i < count; i++)
        {
            int free = Bucket.FindEmptyLocked(old.First);
            if (free < 0)
                return;
            Bucket.Store(old.First, free, behind[i].Value);
            if (i < count - 1)
                behind[i].Store(default);
        }
    }

    private static ulong OldOf(TableIndex index) => index.BucketCount - (1UL << BitOperations.Log2(index.BucketCount));

    private static List<SlotPlace> Taken(in LockedBucket bucket) => Places(bucket.Slots);

    private static List<SlotPlace> Places(BucketSlots slots)
    {
        var all = new List<SlotPlace>();
        foreach (SlotPlace place in slots)
            all.Add(place);
        return all;
    }

    private static ulong[] All(TableIndex index)
    {
        var all = new List<ulong>();
        for (ulong number = 0; number < index.BucketCount; number++)
            all.AddRange(Places(index.SlotsOf(number)).Select(static place => place.Value.Word));
        return [.. all.Order()];
    }

    private static void Add(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out _));
        place.Store(new IndexSlot(hash, address));
    }
}
