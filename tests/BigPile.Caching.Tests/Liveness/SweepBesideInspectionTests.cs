using System;
using BigPile.Caching.Index;
using BigPile.Caching.Recovery;

namespace BigPile.Caching.Tests.Liveness;

/// <summary>
/// While the index is inspected an entry of a removed tag is taken into a bucket that a sweep's round has done, and the
/// comparison is over before the round is.
/// </summary>
public sealed class SweepBesideInspectionTests
{
    private const int Keys = 200;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_taken_in_behind_a_sweep_stays_removed(bool isLate)
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, long> table = cache.GetOrCreateTable<long, long>("t");
        for (long key = 0; key < Keys; key++)
            table.Put(key, key, new EntryOptions { Tags = ["old"] });
        table.RemoveByTag("old");

        if (!isLate)
            new TableInspection(table.Core).Begin();
        ulong hash = HashWithinARound(table);
        IndexSlot lost = IndexSlots.TakeOne(table.Core.Index, hash, out ulong bucket);
        _ = table.Core.Sweep.Memory(maxBuckets: (int)bucket + 1);
        if (isLate)
            new TableInspection(table.Core).BeginLate();
        IndexSlots.PutBack(table.Core.Index, hash, lost);
        new TableInspection(table.Core).End(table.Core.DamagedLines);

        table.Sweep(); // ends the round
        AssertIsEmpty(table);
        table.Sweep();
        table.Sweep();
        AssertIsEmpty(table);
        Assert.Equal(0, table.Core.Tags.Count);
        table.Core.CheckInvariants();
    }

    // The round must not be over with the entry's bucket.
    private static ulong HashWithinARound(CacheTable<long, long> table)
    {
        Span<byte> bytes = stackalloc byte[64];
        for (long key = 0; ; key++)
        {
            ulong hash = table.KeyCodec.Probe(key, bytes).Hash;
            using LockedBucket bucket = table.Core.Index.Lock(hash);
            if (bucket.Number != table.Core.Index.BucketCount - 1)
                return hash;
        }
    }

    private static void AssertIsEmpty(CacheTable<long, long> table)
    {
        for (long key = 0; key < Keys; key++)
            Assert.False(table.ContainsKey(key), $"key {key} was removed by its tag");
    }
}
