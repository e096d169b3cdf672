using System;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Keys that are removed and put again get a new place in a queue each time; the old ones must not pile up.</summary>
public sealed class RemovedAndPutAgainTests : IDisposable
{
    private const int Rounds = 40;
    private const int BytesPerPlace = 4;
    private const int NodesToSpare = 256 << 10; // two or three of each of sixteen shards, and what a first eviction takes

    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(20_000)]
    public void The_queues_stay_in_proportion_to_the_entries(int keys)
    {
        CacheTable<int, int> table = _cache.GetOrCreateTable<int, int>(TestCache.Durable() with { MaxEntries = 1_000_000 });
        int changes = Math.Max(Rounds * keys, 200_000);
        for (int i = 0; i < changes; i++)
        {
            table.Remove(i % keys);
            table.Put(i % keys, i);
        }
        Assert.Equal(keys, table.Count);
        Assert.InRange(table.Core.Limits.Evictor!.SizeBytes, 0, NodesToSpare + 2L * BytesPerPlace * keys);
        table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void At_a_limit_they_do_too_and_every_entry_can_be_evicted(int seed)
    {
        const int Capacity = 2_000;
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        CacheTable<int, int> table = _cache.GetOrCreateTable<int, int>(TestCache.Durable() with { MaxEntries = Capacity });
        for (int i = 0; i < 3 * Capacity; i++)
            table.Put(i, i);
        long before = table.Core.Limits.Evictor!.SizeBytes;
        for (int i = 0; i < 100 * Capacity; i++)
        {
            int key = random.Next(Capacity / 2);
            table.Remove(key);
            table.Put(key, i);
        }
        Assert.True(table.Core.Limits.Evictor!.SizeBytes <= before + NodesToSpare, $"seed {seed}: from {before} bytes");
        table.Core.CheckInvariants(); // each entry is in a queue
        for (int i = 0; i < 3 * Capacity; i++)
            table.Put(1_000_000 + i, i);
        Assert.True(table.Count <= Capacity, $"seed {seed}: {table.Count} entries");
        table.Core.CheckInvariants();
    }
}
