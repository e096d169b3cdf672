using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Eviction.Policies;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Tables with few entries whose limit would admit many, and tables that get many only at the end.</summary>
public sealed class FewLargeTests
{
    private const int Mebibyte = 1 << 20;

    [Fact]
    public void Of_few_large_values_the_lowest_priority_goes_first()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t") { MaxBytes = 64 * Mebibyte });
        var value = new byte[Mebibyte];
        int next = 0;
        for (int i = 0; i < 30; i++)
            Put(table, next++, value, High);
        while (table.Statistics.Evictions == 0)
            Put(table, next++, value, Low);
        int lastLow = next;
        for (int i = 0; i < 25; i++)
            Put(table, next++, value, High);
        Assert.All(Enumerable.Range(0, 30).Concat(Enumerable.Range(lastLow, 25)), key => Assert.True(table.ContainsKey(key), $"{key}"));
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Where_a_limit_was_lowered_to_few_the_lowest_priority_goes_first()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t") { MaxEntries = 200_000 });
        table.Configure(table.Options with { MaxEntries = 40 });
        for (int key = 0; key < 58; key++)
            Put(table, key, [1], key is >= 20 and < 40 ? Low : High);
        Assert.All(Enumerable.Range(0, 20).Concat(Enumerable.Range(40, 18)), key => Assert.True(table.ContainsKey(key), $"{key}"));
        table.Core.CheckInvariants();
    }

    [Fact]
    public void A_loop_that_fits_is_kept_by_a_table_of_few_large_values()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t") { MaxBytes = 40 * Mebibyte });
        var value = new byte[Mebibyte];
        for (int round = 0; round < 3; round++)
        {
            for (int key = 0; key < 30; key++)
                Put(table, key, value, null);
        }
        Assert.Equal(0, table.Statistics.Evictions);
        Assert.Equal(30, table.Count);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void A_table_that_gets_many_entries_is_whole_behind_its_division(int threads)
    {
        const int Each = 350_000;
        var value = new byte[64];
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t") { MaxBytes = 36 * Mebibyte });
        Parallel.For(0, threads, new ParallelOptions { MaxDegreeOfParallelism = threads }, thread =>
        {
            for (int i = 0; i < Each / threads; i++)
            {
                Put(table, thread + threads * i, value, i % 8 == 0 ? Low : i % 8 == 1 ? High : null);
                if (i % 1024 == 0)
                    Assert.InRange(table.Statistics.TotalBytes, 0, 36 * Mebibyte);
            }
        });
        Assert.InRange(table.Count, 1 << 17, long.MaxValue);
        Assert.NotEqual(0, table.Statistics.Evictions);
        Assert.True(table.Core.Limits.Evictor!.IsTooDivided(new TableCapacity(1, 1)), "It has one shard for all.");
        table.Core.CheckInvariants();
        table.Configure(table.Options with { MaxEntries = 100 });
        Assert.False(table.Core.Limits.Evictor!.IsTooDivided(new TableCapacity(1, 1)), "It has many shards for few entries.");
        Assert.InRange(table.Count, 1, 100);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void What_is_no_longer_kept_for_ever_goes_where_a_limit_was_lowered()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t"));
        for (int key = 0; key < 5; key++)
            Put(table, key, [1], new EntryOptions { Priority = EntryPriority.NeverEvict });
        table.Configure(table.Options with { MaxEntries = 2 });
        Assert.Equal(5, table.Count);
        for (int key = 0; key < 5; key++)
            Put(table, key, [1], Low);
        table.Sweep(new CancellationToken(canceled: true));
        Assert.Equal(5, table.Count);
        table.Sweep();
        Assert.Equal(2, table.Count);
        table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(EntryPriority.High, EntryPriority.Low)]
    [InlineData(EntryPriority.NeverEvict, EntryPriority.Normal)]
    public void What_is_no_more_keeps_nothing_out(EntryPriority held, EntryPriority put)
    {
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t") { MaxEntries = 3 });
        for (int key = 0; key < 3; key++)
            Put(table, key, [1], new EntryOptions { Priority = held, Tags = ["x"] });
        Assert.Equal(PutResult.Collision, Put(table, 8, [1], new EntryOptions { Priority = put }));
        table.RemoveByTag("x");
        Assert.NotEqual(PutResult.Collision, Put(table, 9, [1], new EntryOptions { Priority = put }));
        Assert.True(table.ContainsKey(9));
        Assert.Equal(1, table.Statistics.Collisions);
    }

    [Fact]
    public void What_expired_gives_room_to_what_takes_the_place_of_many()
    {
        var time = new ManualTime();
        using PileCache cache = TestCache.Make(time);
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t") { MaxBytes = 8 << 20 });
        var kept = new EntryOptions { Priority = EntryPriority.NeverEvict, MaxAge = TimeSpan.FromSeconds(1) };
        for (int key = 0; key < 7_000; key++)
            Put(table, key, new byte[1_000], kept);
        var large = new byte[4 << 20];
        Assert.Equal(PutResult.Collision, Put(table, -1, large, High));
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.NotEqual(PutResult.Collision, Put(table, -1, large, High));
        Assert.Equal(1, table.Statistics.Collisions);
        table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(null, 3 << 20)]
    [InlineData(1_000, null)]
    public void What_the_pile_has_no_room_for_does_not_cost_many_others_theirs(int? maxEntries, int? maxBytes)
    {
        using var cache = new PileCache(
            new Pile(new PileOptions { SegmentBytes = 4 << 20, MaxBytes = 16 << 20 }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
        CacheTable<int, byte[]> table = Make(cache, new TableOptions("t") { MaxEntries = maxEntries, MaxBytes = maxBytes });
        for (int key = 0; key < 20_000; key++)
            Put(table, key, new byte[100], null);
        CacheTable<int, byte[]> other = Make(cache, new TableOptions("other"));
        int[] keys = [.. Enumerable.Range(0, 20_000)];
        Assert.Throws<PileFullException>(() => Array.ForEach(keys, key => Put(other, key, new byte[1_000], null)));
        long count = table.Count;
        Assert.Throws<PileFullException>(() => Put(table, -1, new byte[1 << 20], null));
        Assert.InRange(table.Count, count - 16, count);
        count = table.Count;
        Put(table, -2, new byte[100], null); // which takes the place of one, or of one of those
        Assert.InRange(table.Count, count, count + 1);
        table.Core.CheckInvariants();
    }

    private static EntryOptions Low { get; } = new() { Priority = EntryPriority.Low };

    private static EntryOptions High { get; } = new() { Priority = EntryPriority.High };

    private static PutResult Put(CacheTable<int, byte[]> table, int key, byte[] value, EntryOptions? options) =>
        table.PutBytes(key, value, options, out _);

    private static CacheTable<int, byte[]> Make(PileCache cache, TableOptions options) =>
        cache.GetOrCreateTable<int, byte[]>(options with { CollisionMode = CollisionMode.Durable });
}
