using System;
using System.Collections.Generic;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Index;

/// <summary>The index beside a dictionary as its model, checked after every step.</summary>
public sealed class IndexModelTests
{
    [Theory]
    [InlineData(1, 6)]
    [InlineData(2, 6)]
    [InlineData(3, 1)] // of all buckets only some are used, so that they go on in many lines
    public void An_index_is_whole_after_every_step(int seed, int bucketBits)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        var model = new Dictionary<ulong, ulong>();
        var hashes = new List<ulong>();
        ulong nextAddress = 1;
        for (int step = 0; step < TestLeg.Steps(3_000, 100_000); step++)
        {
            ulong hash = HashOf(random, bucketBits);
            if (hashes.Count == 0 || (random.Next(5) < (step / 500 % 2 == 0 ? 4 : 1) && !model.ContainsKey(hash)))
            {
                IndexSlots.Add(index, hash, nextAddress);
                model.Add(hash, nextAddress++);
                hashes.Add(hash);
                index.GrowFor(model.Count);
            }
            else
            {
                int at = random.Next(hashes.Count);
                Remove(index, hashes[at], model[hashes[at]]);
                model.Remove(hashes[at]);
                hashes[at] = hashes[^1];
                hashes.RemoveAt(hashes.Count - 1);
            }
            InvariantChecks.At($"seed {seed}, step {step}", () => Assert.Equal(model.Count, new IndexCheck(index).Run()));
        }
        foreach ((ulong hash, ulong address) in model)
            Assert.True(IndexSlots.Contains(index, hash, address), $"seed {seed}: {hash}");
    }

    // The known bits of a hash, different for each.
    private static ulong HashOf(Random random, int bucketBits) =>
        ((ulong)random.NextInt64(1, 1L << (IndexSlot.KnownHashBits - IndexSlot.BucketHashBits)) << IndexSlot.BucketHashBits)
        | (uint)random.Next(1 << bucketBits);

    private static void Remove(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        foreach (SlotPlace place in bucket.Matching(hash))
        {
            if (place.Value.Address == address)
                place.Store(default);
        }
    }

}
