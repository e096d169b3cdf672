using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>What stays finds pages in a full pile, and leaves such to large blocks, whatever was there before.</summary>
public sealed class PageUseTests : IDisposable
{
    private const int PileBytes = 64 << 20;
    private const int LargeBytes = 1_000_000;
    private readonly string _directory = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
    private readonly Random _random = new(1);
    private readonly List<int> _lasting = [];
    private int _next;

    public void Dispose()
    {
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void A_deleted_block_under_a_lease_is_not_taken_for_an_empty_page(StoreKind store)
    {
        using PileCache cache = Open(store);
        PilePointer leased = cache.Pile.Put(new byte[50_000]);
        using PileLease lease = cache.Pile.Lease(leased);
        cache.Pile.Delete(leased);
        CacheTable<int, byte[]> table = TableOf(cache);
        Fill(table);
        CacheTable<int, byte[]> durable = DurableOf(cache);
        for (int key = 0; key < 2_000; key++)
        {
            durable.PutBytes(key, new byte[1_000], out _);
            if (key % 4 == 0)
                table.PutBytes(_next++, new byte[3_000], out _);
        }
        Assert.Equal(2_000, durable.Statistics.EntryCount);
    }

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void A_pile_that_was_full_of_what_stays_separates_again(StoreKind store)
    {
        using PileCache cache = Open(store);
        CacheTable<int, byte[]> table = TableOf(cache);
        CacheTable<int, byte[]> durable = DurableOf(cache);
        Action fill = () =>
        {
            while (true)
                durable.PutBytes(_next++, new byte[5_000], out _);
        };
        Assert.Throws<PileFullException>(fill);
        durable.Clear();
        cache.Pile.Flush();
        FillWithBoth(table, durable, percentThatStays: 40);
        PutLarge(table);
    }

    [Fact]
    public void After_a_reopening_what_stays_is_apart_from_what_may_go()
    {
        using (PileCache cache = Open(StoreKind.Mapped))
            FillWithBoth(TableOf(cache), DurableOf(cache), percentThatStays: 20);
        using PileCache again = Open(StoreKind.Mapped);
        CacheTable<int, byte[]> table = TableOf(again);
        CacheTable<int, byte[]> durable = DurableOf(again);
        again.Pile.Verify(); // recovers all pages
        for (int i = 0; i < 2_000; i++)
        {
            Replace(durable);
            for (int small = 0; small < 3; small++)
                table.PutBytes(_next++, new byte[_random.Next(2_000)], out _);
        }
        PutLarge(table);
    }

    [Fact]
    public void What_was_put_before_the_pile_was_nearly_full_is_in_the_main_queue()
    {
        using PileCache cache = Open(StoreKind.Native);
        CacheTable<int, byte[]> table = TableOf(cache);
        Fill(table);
        int all = 0;
        int main = 0;
        for (ulong number = 0; number < table.Core.Index.BucketCount; number++)
        {
            foreach (SlotPlace place in table.Core.Index.SlotsOf(number))
            {
                all++;
                main += place.IsInMain ? 1 : 0;
            }
        }
        Assert.InRange(main, all * 9 / 10, all); // in the small queue they would go before anything new
    }

    private static void Fill(CacheTable<int, byte[]> table)
    {
        for (int key = 0; table.Statistics.Evictions == 0; key++)
            table.PutBytes(-key, new byte[3_000], out _);
    }

    private void FillWithBoth(CacheTable<int, byte[]> table, CacheTable<int, byte[]> durable, int percentThatStays)
    {
        while (table.Statistics.Evictions == 0)
        {
            bool stays = _random.Next(3) == 0 && durable.Statistics.BlockBytes < PileBytes / 100 * (long)percentThatStays;
            (stays ? durable : table).PutBytes(_next, new byte[_random.Next(2_000)], out _);
            if (stays)
                _lasting.Add(_next);
            _next++;
        }
    }

    private void Replace(CacheTable<int, byte[]> durable)
    {
        int at = _random.Next(_lasting.Count);
        Assert.True(durable.Remove(_lasting[at]));
        durable.PutBytes(_next, new byte[_random.Next(2_000)], out _);
        _lasting[at] = _next++;
    }

    private void PutLarge(CacheTable<int, byte[]> table)
    {
        for (int i = 0; i < 10; i++, _next++)
        {
            table.PutBytes(_next, new byte[LargeBytes], out _);
            Assert.True(table.ContainsKey(_next));
        }
    }

    private PileCache Open(StoreKind store) => new(
        new Pile(new PileOptions
        {
            Store = store,
            Directory = store == StoreKind.Mapped ? _directory : null,
            SegmentBytes = 16 << 20,
            MaxBytes = PileBytes,
        }),
        new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, MonitorsMemory = false });

    private static CacheTable<int, byte[]> TableOf(PileCache cache) => cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));

    private static CacheTable<int, byte[]> DurableOf(PileCache cache) =>
        cache.GetOrCreateTable<int, byte[]>(new TableOptions("durable") { CollisionMode = CollisionMode.Durable });
}
