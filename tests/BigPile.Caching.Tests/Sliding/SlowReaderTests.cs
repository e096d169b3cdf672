using System;
using System.Threading.Tasks;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tests.Spill;

namespace BigPile.Caching.Tests.Sliding;

/// <summary>What a slow reader finds in a block is the entry's only after a recheck.</summary>
public sealed class SlowReaderTests
{
    private static readonly TimeSpan Life = TimeSpan.FromSeconds(16);
    private static readonly EntryOptions Sliding = new() { Sliding = Life };

    /// <summary>A reader is slow, and its block belongs to another entry by the time it checks whether its own has expired.</summary>
    [Fact]
    public void A_use_counts_though_another_entry_has_the_block()
    {
        const int keys = 10;
        int reused = 0;
        for (int key = 0; key < keys; key++)
        {
            var time = new HookedTime { IsReadBehind = true };
            using var cache = new SpillingCache(time);
            cache.Fill(900, Sliding);
            time.Passed = Life / 2;
            int one = key;
            bool isThere = false;
            time.Hook = () =>
            {
                Task other = SideBySide.Start(() => reused += LeavesAndComesBack(cache, time, one) ? 1 : 0);
                other.Wait();
                time.Hook = () => isThere = IsThere(cache.Table, time, one); // it reads the clock again, to read what came back
            };
            Assert.True(cache.Table.TryGet(key, out _));
            Assert.Equal((key, true), (key, isThere));
        }
        Assert.InRange(reused, 1, keys);
    }

    // Whether its last use, of just now, gives it a life.
    private static bool IsThere(CacheTable<int, byte[]> table, HookedTime time, int key)
    {
        TimeSpan now = time.Passed;
        time.Passed = Life * 2.4;
        bool isThere = table.TryGetEntry(key, out _);
        time.Passed = now;
        return isThere;
    }

    // It is used last one and a half lives behind its put. Gives whether its block is another's.
    private static bool LeavesAndComesBack(SpillingCache cache, HookedTime time, int key)
    {
        ulong address = AddressOf(cache.Table, key);
        ulong version = VersionAt(cache, address);
        for (int other = 10_000; other < 13_000; other++)
        {
            cache.Table.Put(other, SpillingCache.Value(other), new EntryOptions { Sliding = Life / 1_000 });
            _ = cache.Table.ContainsKey(other) && cache.Table.ContainsKey(other);
        }
        for (int other = 13_000; other < 16_000; other++)
        {
            cache.Table.Put(other, SpillingCache.Value(other), new EntryOptions { Sliding = Life / 1_000 });
            Assert.True(cache.Table.TryGet(key, out _));
        }
        time.Passed = Life * 1.45;
        Assert.True(cache.Table.TryGet(key, out _));
        time.Passed = Life * 1.5;
        return VersionAt(cache, address) != version;
    }

    private static unsafe ulong VersionAt(SpillingCache cache, ulong address) =>
        new EntryHead(cache.Cache.Pile.Tables.View(address).Payload).Version;

    private static ulong AddressOf(CacheTable<int, byte[]> table, int number)
    {
        KeyProbe key = table.KeyCodec.Probe(number, stackalloc byte[64]);
        using LockedBucket bucket = table.Core.Index.Lock(key.Hash);
        return table.Core.Entries.TryFindLocked(bucket, key, out LockedEntry entry) ? entry.Address : 0;
    }
}
