using System;
using BigPile.Caching.Eviction;

namespace BigPile.Caching.Tests.Eviction;

public sealed class FirstEvictionTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    /// <summary>Ghosts and duels allocate their memory at the first eviction, in the middle of a put.</summary>
    [Theory]
    [InlineData(1, 0)]
    [InlineData(4, 0)]
    [InlineData(16, 20)]
    public void A_limit_in_bytes_leaves_room_for_what_the_first_eviction_takes(int mebibytes, int lengthBytes)
    {
        const long MostAtOnce = 16 << 10; // some pages of queues
        long limit = (long)mebibytes << 20;
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>(TestCache.Durable() with { MaxBytes = limit });
        Evictor evictor = table.Core.Limits.Evictor!;
        EntryOptions?[] options = [null, new EntryOptions { Priority = EntryPriority.High }];
        for (long key = 0; table.Statistics.Evictions < 5_000; key++)
        {
            long neededBytes = evictor.NeededBytes;
            table.Put(key, new byte[lengthBytes], options[key % 8 == 0 ? 1 : 0]);
            Assert.InRange(evictor.SizeBytes, 1, neededBytes + MostAtOnce);
            Assert.InRange(table.Statistics.TotalBytes - evictor.SizeBytes + evictor.NeededBytes, 0, limit);
        }
    }
}
