using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Testing;
using BigPile.Caching.Tests.Spill;

namespace BigPile.Caching.Tests.OnCommand;

/// <summary>Tables that evict on command.</summary>
public sealed class EvictionTests : IDisposable
{
    private static readonly EntryOptions Never = new() { Priority = EntryPriority.NeverEvict };

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;

    public EvictionTests() => _cache = new PileCache(
        TestPiles.Make(), new PileCacheOptions { OwnsPile = true, TimeProvider = _time, SweepPeriod = TimeSpan.Zero });

    public static TheoryData<CollisionMode, bool, bool> Tables => new()
    {
        { CollisionMode.Durable, false, false },
        { CollisionMode.Durable, true, false },
        { CollisionMode.Durable, false, true },
        { CollisionMode.Speculative, false, false },
        { CollisionMode.Speculative, true, true },
    };

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Tables))]
    public void A_table_evicts_as_many_as_it_is_told_and_listeners_hear_of_each(CollisionMode mode, bool limitsBytes, bool limitsEntries)
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t")
        {
            CollisionMode = mode, MaxBytes = limitsBytes ? 4 << 20 : null, MaxEntries = limitsEntries ? 5_000 : null,
        });
        Assert.Equal((0, 0), (table.EvictNow(3), table.EvictAll())); // nothing is there
        ConcurrentQueue<RemovedEntry<int>> heard = Listen(table);
        table.Put(-1, [1], Never);
        Fill(table, 1_000);
        Assert.Equal((0, 1, 400), (table.EvictNow(0), table.EvictNow(1), table.EvictNow(400)));
        Assert.Equal(600, table.Count);
        Assert.Equal((599, 0), (table.EvictNow(10_000), table.EvictNow(1)));
        Assert.Equal([1], table.Get(-1));
        Eventually.True(() => heard.Count == 1_000);
        Assert.All(heard, static one => Assert.Equal(RemovalReason.Evicted, one.Reason));
        Assert.Equal(Enumerable.Range(0, 1_000), heard.Select(static one => one.Key).Order());
        Fill(table, 10);
        Assert.Equal((10, 1, 1_010), (table.EvictAll(), table.Count, table.Statistics.Evictions));
        table.Core.CheckInvariants();
    }

    /// <summary>Its evictor learns of the entries in the background, and is divided.</summary>
    [Fact]
    public void A_large_table_without_a_limit_has_all_its_entries_evicted()
    {
        const int Count = 200_000;
        using var cache = new PileCache(TestPiles.Make(64 << 20), new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        Fill(table, Count);
        Assert.Equal((1, Count - 1, 0), (table.EvictNow(1), table.EvictAll(), table.Count));
        Eventually.True(() => cache.Pile.Engine.Background.IsIdle);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Who_goes_is_the_choice_of_the_policy()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        table.EvictNow(0);
        Fill(table, 1_000);
        for (int key = 0; key < 1_000; key += 10)
            _ = (table.Get(key), table.Get(key), table.Get(key));
        table.Put(-1, [1], new EntryOptions { Priority = EntryPriority.Low });
        table.Put(-2, [2], new EntryOptions { Priority = EntryPriority.High });
        Assert.Equal(1, table.EvictNow(1));
        Assert.False(table.ContainsKey(-1)); // the lowest priority first
        Assert.Equal(900, table.EvictNow(900));
        Assert.Equal(100, table.Keys.Count(static key => key >= 0 && key % 10 == 0)); // the used ones
        Assert.Equal(100, table.EvictNow(100));
        Assert.Equal([-2], table.Keys);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void What_has_expired_or_lost_its_tag_is_swept_and_does_not_count()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        ConcurrentQueue<RemovedEntry<int>> heard = Listen(table);
        for (int key = 0; key < 30; key++)
            table.Put(key, [1], key % 3 == 0 ? new EntryOptions { MaxAge = TimeSpan.FromMinutes(1) }
                : key % 3 == 1 ? new EntryOptions { Tags = ["a"] } : new EntryOptions());
        _time.Advance(TimeSpan.FromMinutes(2));
        table.RemoveByTag("a");
        Assert.False(table.Evict(3));
        Assert.False(table.Evict(4));
        Assert.Equal((4, 6, 0), (table.EvictNow(4), table.EvictAll(), table.Count));
        Eventually.True(() => heard.Count(static one => one.Reason == RemovalReason.Evicted) == 10);
        Assert.All(heard, static one => Assert.Equal(one.Key % 3 == 2, one.Reason == RemovalReason.Evicted));
        table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void One_key_is_evicted(bool isLimited)
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(
            TestCache.Durable() with { MaxEntries = isLimited ? 1_000 : null });
        ConcurrentQueue<RemovedEntry<int>> heard = Listen(table);
        Fill(table, 100);
        table.Put(-1, [1], Never);
        Assert.Equal((true, false, false, false), (table.Evict(7), table.Evict(7), table.Evict(-1), table.Evict(1_000)));
        Assert.Equal((100, 1), (table.Count, table.Statistics.Evictions));
        Assert.False(table.ContainsKey(7));
        Eventually.True(() => heard.Count == 1);
        Assert.Equal((7, RemovalReason.Evicted), heard.Select(static one => (one.Key, one.Reason)).Single());
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Keys_of_all_kinds_are_found()
    {
        CacheTable<string, string> byComparer = _cache.GetOrCreateTable<string, string>(
            TestCache.Durable("comparer"), StringComparer.OrdinalIgnoreCase);
        byComparer.Put("Ada", "1");
        Assert.True(byComparer.Evict("ADA"));
        CacheTable<int, string> byOwn = _cache.GetOrCreateTable<int, string>(TestCache.Durable("own"), new Parity());
        byOwn.Put(3, "odd");
        Assert.True(byOwn.Evict(5));
        CacheTable<(string, int), string> tuples = _cache.GetOrCreateTable<(string, int), string>(TestCache.Durable("tuples"));
        tuples.Put((new string('x', 1_000), 1), "2");
        Assert.True(tuples.Evict((new string('x', 1_000), 1)));
        Assert.Equal((0, 0, 0), (byComparer.Count, byOwn.Count, tuples.Count));
        Assert.Throws<ArgumentNullException>(() => byComparer.Evict(null!));
    }

    [Fact]
    public void With_a_spill_directory_entries_go_to_the_file_and_come_back()
    {
        using var cache = new SpillingCache();
        CacheTable<int, byte[]> table = cache.Cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        Fill(table, 100);
        Assert.Equal((true, false), (table.Evict(7), table.Evict(7)));
        Assert.Equal(1, table.Statistics.SpilledEntries); // written, and no longer on its way
        Assert.Equal(99, table.EvictAll());
        Assert.Equal((0, 100), (table.Count, table.Statistics.SpilledEntries));
        for (int key = 0; key < 100; key++)
            Assert.Equal(BitConverter.GetBytes(key), table.Get(key));
        table.Core.CheckInvariants();
    }

    [Fact]
    public void On_a_mapped_pile_what_was_evicted_stays_away()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache cache = TestCache.Open(directory.Path))
        {
            CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
            Fill(table, 1_000);
            table.Evict(7);
            table.EvictNow(500);
            Assert.Equal(499, table.Count);
        }
        using PileCache again = TestCache.Open(directory.Path);
        CacheTable<int, byte[]> found = again.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        Assert.False(found.ContainsKey(7));
        Assert.Equal((499, 499, 0), (found.Count, found.EvictAll(), found.Count));
        Assert.True(again.Readiness.Inspection.Wait(Eventually.Timeout)); // it locks buckets
        found.Core.CheckInvariants();
    }

    [Fact]
    public void What_can_not_be_evicted_from_is_refused()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        Fill(table, 10);
        Assert.Throws<ArgumentOutOfRangeException>(() => table.EvictNow(-1));
        Assert.Throws<ArgumentNullException>(() => ((CacheTable)null!).EvictAll());
        using (var half = new HalfBuilt(_cache.Pile, _time))
        {
            CacheTable<int, byte[]> rebuilt = half.Cover<int>();
            string said = Assert.Throws<InvalidOperationException>(() => rebuilt.EvictAll()).Message;
            Assert.Contains("PileCache.Readiness", said, StringComparison.Ordinal);
            Assert.Throws<InvalidOperationException>(() => rebuilt.Evict(1));
        }
        _cache.DropTable("t");
        Assert.Throws<TableDroppedException>(() => table.EvictNow(1));
        Assert.Throws<TableDroppedException>(() => table.Evict(1));
        CacheTable<int, byte[]> other = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("other"));
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => other.EvictNow(0));
        Assert.Throws<ObjectDisposedException>(() => other.Evict(1));
    }

    [Fact]
    public void Commands_beside_puts_removals_and_new_options_leave_the_table_whole()
    {
        TableOptions options = TestCache.Durable();
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(options);
        for (int key = -100; key < 0; key++)
            table.Put(key, BitConverter.GetBytes(key), Never);
        void Use(int round)
        {
            table.Put(round % 3_000, BitConverter.GetBytes(round % 3_000));
            if (table.TryGet(round % 3_000, out byte[]? found))
                Assert.Equal(round % 3_000, BitConverter.ToInt32(found));
            if (round % 3 == 0)
                table.Remove(round / 2 % 3_000);
        }
        SideBySide.Rounds(
            new SideBySide.Worker(20_000, Use),
            new SideBySide.Worker(20_000, round => Use(round + 1_500)),
            new SideBySide.Worker(500, round => Assert.InRange(table.EvictNow(round % 20), 0, round % 20)),
            new SideBySide.Worker(500, round => table.Evict(round % 3_000)),
            new SideBySide.Worker(20, _ => table.EvictAll()),
            new SideBySide.Worker(20, round => table.Configure(options with { MaxEntries = round % 2 == 0 ? 1_000 : null })));
        table.EvictAll();
        Assert.Equal(Enumerable.Range(-100, 100), table.Keys.Order());
        table.Core.CheckInvariants();
    }

    private static void Fill(CacheTable<int, byte[]> table, int count)
    {
        for (int key = 0; key < count; key++)
            table.Put(key, BitConverter.GetBytes(key));
    }

    private static ConcurrentQueue<RemovedEntry<int>> Listen(CacheTable<int, byte[]> table)
    {
        var heard = new ConcurrentQueue<RemovedEntry<int>>();
        table.EntriesRemoved += batch =>
        {
            foreach (RemovedEntry<int> one in batch)
                heard.Enqueue(one);
        };
        return heard;
    }

    /// <summary>A comparer of the application's own, which runs outside of the pile.</summary>
    private sealed class Parity : IEqualityComparer<int>
    {
        public bool Equals(int x, int y) => x % 2 == y % 2;

        public int GetHashCode(int obj) => obj % 2;
    }
}
