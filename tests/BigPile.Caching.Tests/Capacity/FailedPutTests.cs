using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Tests.Failures;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>A put that fails is counted nowhere, though others may have been evicted for it.</summary>
public sealed class FailedPutTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();
    private readonly FailingFiles _files = new();
    private readonly PileCache _cache;

    public FailedPutTests()
    {
        Pile pile = Pile.Open(_temporary.Path, new PileOptions { SegmentBytes = 4 << 20, FileHook = _files });
        _cache = new PileCache(pile, new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true });
    }

    public void Dispose()
    {
        _files.Disarm();
        _cache.Dispose();
        _temporary.Dispose();
    }

    [Fact]
    public void A_put_whose_bucket_cannot_grow_overwrites_nothing()
    {
        CacheTable<string, byte[]> table =
            _cache.GetOrCreateTable<string, byte[]>(TestCache.Durable() with { MaxEntries = Bucket.SlotCount + 1 });
        string[] full = [.. KeysOf(table, bucket: 0).Take(Bucket.SlotCount + 1)];
        foreach (string key in full[1..])
            table.Put(key, [1], new EntryOptions { Priority = EntryPriority.High });
        table.Put(KeysOf(table, bucket: 1).First(), [1]); // the one that goes
        _files.Arm(new FailurePlan(1, FailureMode.AllLater, FailureCause.Device, 0));
        Exception? error = Record.Exception(() => table.Put(full[0], [2]));
        _files.Disarm();
        Assert.IsType<PileStorageException>(error);
        Assert.Equal(
            (Bucket.SlotCount, 1, Bucket.SlotCount + 1, 0),
            (table.Count, table.Statistics.Evictions, table.Statistics.Inserts, table.Core.CounterValues[(int)Counter.Overwrites]));
        Assert.Equal(PutResult.Inserted, table.Put(full[0], [2])); // there is room for it now
        Assert.Equal(0, table.Core.CounterValues[(int)Counter.Overwrites]);
        table.Core.CheckInvariants();
    }

    private static IEnumerable<string> KeysOf(CacheTable<string, byte[]> table, ulong bucket) =>
        Enumerable.Range(0, 10_000).Select(
            static i => $"k{i}").Where(key => table.Core.Index.Locate(table.KeyCodec.HashOf(key, new byte[64])) == bucket);
}
