using BigPile.Caching.Index;
using BigPile.Caching.Operations;

namespace BigPile.Caching.Tests;

/// <summary>
/// A sweep's round begins while the index is compared with the pile; an entry of a removed tag is taken into a bucket that the sweep has
/// done, and the comparison is over before the round is.
/// </summary>
public sealed unsafe class SweepBesideComparisonTests
{
    private const int Keys = 200;

    [Fact]
    public void What_was_taken_in_behind_a_sweep_stays_removed()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, long> table = cache.GetOrCreateTable<long, long>("t");
        for (long key = 0; key < Keys; key++)
            table.Put(key, key, new EntryOptions { Tags = ["old"] });
        table.RemoveByTag("old");

        table.Core.BeginInspection();
        IndexSlot lost = TakeOne(table.Core.Index);
        Assert.NotEqual(0, table.Core.SweepMemory(maxBuckets: 1));
        PutBack(table.Core.Index, lost);
        table.Core.EndInspection();

        table.Sweep(); // ends the round
        AssertIsEmpty(table);
        table.Sweep();
        table.Sweep();
        AssertIsEmpty(table);
        Assert.Equal(0, table.Core.Tags.Count);
        table.Core.CheckInvariants();
    }

    private static void AssertIsEmpty(CacheTable<long, long> table)
    {
        for (long key = 0; key < Keys; key++)
            Assert.False(table.ContainsKey(key), $"key {key} was removed by its tag");
    }

    private static IndexSlot TakeOne(TableIndex index)
    {
        using LockedBucket bucket = index.LockBucket(0);
        foreach (SlotPlace place in bucket.Slots)
        {
            IndexSlot slot = place.Value;
            place.Store(default);
            return slot;
        }
        Assert.Fail("The first bucket has no entry.");
        return default;
    }

    private static void PutBack(TableIndex index, IndexSlot slot)
    {
        using LockedBucket bucket = index.LockBucket(0);
        Assert.True(index.TryFindRoomLocked(bucket, int.MaxValue, out SlotPlace place));
        place.Line->MarkExpiry();
        place.Store(slot);
    }
}
