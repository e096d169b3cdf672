using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Who gives way when a pile with a limit is full, and to what.</summary>
public sealed class GivesWayTests
{
    private const long PileBytes = 32 << 20;

    [Theory]
    [InlineData(CollisionMode.Speculative, null, true)]
    [InlineData(CollisionMode.Speculative, false, false)]
    [InlineData(CollisionMode.Durable, null, false)]
    [InlineData(CollisionMode.Durable, true, true)]
    public void A_table_without_limits_gives_way_as_its_options_say(CollisionMode mode, bool? givesWay, bool goes)
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(
            new TableOptions("t") { CollisionMode = mode, GivesWay = givesWay });
        void PutTwiceAsMuch()
        {
            for (int key = 0; key < 2 * PileBytes / 1_000; key++)
                table.PutBytes(key, new byte[1_000], out _);
        }

        if (goes)
            PutTwiceAsMuch();
        else
            Assert.Throws<PileFullException>(PutTwiceAsMuch);
        Assert.Equal(goes, table.Statistics.Evictions != 0);
        Assert.True(table.Statistics.BlockBytes > PileBytes * 7 / 8);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Tables_give_way_to_objects_of_the_pile_and_these_never_go()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        var never = new EntryOptions { Priority = EntryPriority.NeverEvict };
        table.PutBytes(-1, [1, 2], never, out _);
        for (int key = 0; key < PileBytes / 1_000; key++)
            table.PutBytes(key, new byte[1_000], out _);
        var objects = new List<PilePointer>();
        void Fill()
        {
            while (true)
                objects.Add(cache.Pile.Put(new byte[500]));
        }

        Assert.Throws<PileFullException>(Fill);
        Assert.InRange(table.Statistics.EntryCount, 1, 100); // a few may be left in pages of another size that objects share
        Assert.Equal([1, 2], table.Get(-1));
        Assert.True(objects.Count * 500L > PileBytes * 8 / 10);
        Assert.All(objects, pointer => Assert.Equal(500, cache.Pile.Get<byte[]>(pointer).Length));
        table.Core.CheckInvariants();
    }

    [Fact]
    public void A_table_without_limits_counts_nothing_before_the_pile_is_nearly_full()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        int key = 0;
        for (; !cache.Pile.Tables.IsNearlyFull; key++)
        {
            Assert.False(table.Core.Limits.AreOn);
            table.PutBytes(key, new byte[1_000], out _);
        }
        Eventually.True(() => table.Core.Limits.AreOn);
        Assert.True(cache.GetOrCreateTable<int, byte[]>(new TableOptions("later")).Core.Limits.AreOn);
        Assert.Equal(key, table.Statistics.EntryCount);
        lock (table.Core.ConfigurationLock) // the limits are on before all entries are in the queues
            table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(StoreKind.Native, 20)]
    [InlineData(StoreKind.Native, 3_000)]
    [InlineData(StoreKind.Native, 40_000)]
    [InlineData(StoreKind.Native, 1_000_000)]
    [InlineData(StoreKind.Managed, 1_000_000)]
    public void Entries_of_one_size_give_way_to_blocks_of_another_and_no_more_go_than_must(StoreKind store, int bytes)
    {
        using PileCache cache = Make(store);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        for (int key = 0; table.Statistics.Evictions == 0; key++)
            table.PutBytes(key, new byte[200], out _);
        long before = table.Statistics.BlockBytes;
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(
            new TableOptions("durable") { CollisionMode = CollisionMode.Durable });
        int count = (int)(PileBytes / 4 / (bytes + 64));
        for (int key = 0; key < count; key++)
            durable.PutBytes(key, new byte[bytes], out _);
        Assert.Equal(count, durable.Statistics.EntryCount);
        // Besides what was put: a batch by the policy, and pages that are partly free.
        long gone = before - table.Statistics.BlockBytes;
        Assert.InRange(gone, 0, durable.Statistics.BlockBytes * 3 / 2 + PileBytes / 8);
        table.Core.CheckInvariants();
        durable.Core.CheckInvariants();
        cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Entries_whose_keys_a_comparer_hashes_give_way_to_blocks_of_another_size(bool isApplications)
    {
        using PileCache cache = Make();
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>(
            new TableOptions("t"), isApplications ? new LengthFirst() : StringComparer.OrdinalIgnoreCase);
        for (int key = 0; table.Statistics.Evictions == 0; key++)
            table.PutBytes($"Key{key}", new byte[500], out _);
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(
            new TableOptions("durable") { CollisionMode = CollisionMode.Durable });
        for (int key = 0; key < 20; key++)
            durable.PutBytes(key, new byte[500_000], out _);
        Assert.Equal(20, durable.Statistics.EntryCount);
        Assert.InRange(table.Statistics.BlockBytes, PileBytes / 4, PileBytes);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Entries_between_those_that_stay_give_way_to_blocks_of_any_size()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(
            new TableOptions("durable") { CollisionMode = CollisionMode.Durable });
        int key = 0;
        for (; table.Statistics.Evictions == 0; key++)
            _ = key % 4 == 0 ? durable.PutBytes(key, new byte[500], out _) : table.PutBytes(key, new byte[500], out _);
        long put = durable.Statistics.EntryCount;
        for (int more = 0; more < key / 2; more++, put++)
            durable.PutBytes(key + more, new byte[500], out _);
        Assert.Equal(put, durable.Statistics.EntryCount);
        durable.PutBytes(-1, new byte[1_000_000], out _); // blocks that stay have pages of their own
        Assert.NotEqual(0, table.Statistics.EntryCount);
        table.Core.CheckInvariants();
        cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Large_blocks_find_space_however_those_that_stay_came_and_went(int seed)
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(
            new TableOptions("durable") { CollisionMode = CollisionMode.Durable });
        var random = new Random(seed);
        var lasting = new List<int>();
        for (int step = 0; step < 60_000; step++)
        {
            var value = new byte[(int)(20 * Math.Pow(1_000, random.NextDouble()))];
            if (step % 5 != 0)
            {
                table.PutBytes(step, value, out _);
            }
            else if (durable.Statistics.BlockBytes > PileBytes / 4)
            {
                int at = random.Next(lasting.Count);
                Assert.True(durable.Remove(lasting[at]));
                lasting.RemoveAt(at);
            }
            else
            {
                durable.PutBytes(step, value, out _);
                lasting.Add(step);
            }
            if (step % 2_000 == 0)
                table.PutBytes(-step, new byte[1_000_000], out _);
            if (step % 2_000 == 1_000)
                durable.PutBytes(-1, new byte[1_000_000], out _);
        }
        Assert.All(lasting, key => Assert.True(durable.ContainsKey(key)));
        table.Core.CheckInvariants();
        cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Many_threads_and_sizes_lose_nothing_that_must_stay(int seed)
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        CacheTable<int, byte[]> other = cache.GetOrCreateTable<int, byte[]>(
            new TableOptions("other") { CollisionMode = CollisionMode.Durable, GivesWay = true });
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(
            new TableOptions("durable") { CollisionMode = CollisionMode.Durable });
        Task[] writers = [.. Enumerable.Range(0, 4).Select(thread => SideBySide.Start(() =>
        {
            var random = new Random(seed * 100 + thread);
            for (int i = 0; i < 6_000; i++)
            {
                int key = random.Next(1_000_000);
                var value = new byte[(int)Math.Pow(10, 1 + 4.5 * random.NextDouble() * random.NextDouble())];
                BitConverter.TryWriteBytes(value, key);
                CacheTable<int, byte[]> one = i % 100 == 0 ? durable : i % 3 == 0 ? other : table;
                one.PutBytes(key, i % 100 == 0 ? value[..8] : value, out _);
                if (table.TryGet(random.Next(1_000_000), out byte[]? found))
                    Assert.True(found.Length > 8);
            }
        }))];
        await Task.WhenAll(writers);
        Assert.InRange(durable.Statistics.EntryCount, 4 * 60 - 2, 4 * 60);
        Assert.NotEqual(0, table.Statistics.Evictions + other.Statistics.Evictions);
        table.Core.CheckInvariants();
        other.Core.CheckInvariants();
        cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
    }

    /// <summary>A refusal inside of the pile is an answer: an exception costs as much as some hundred puts.</summary>
    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public async Task Puts_to_which_tables_give_way_throw_nothing_inside(StoreKind store)
    {
        using var directory = new TemporaryDirectory();
        var options = new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes };
        using var cache = new PileCache(
            new Pile(store == StoreKind.Mapped ? options.For(directory.Path) : options),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        for (int key = 0; table.Statistics.Evictions == 0; key++) // has all segments: a new one looks for a file that is not there
            table.PutBytes(key, new byte[1_000], out _);
        int thrown = 0;
        var threads = new ConcurrentDictionary<int, bool>();
        void Count(object? sender, FirstChanceExceptionEventArgs e)
        {
            if (threads.ContainsKey(Environment.CurrentManagedThreadId))
                Interlocked.Increment(ref thrown);
        }

        AppDomain.CurrentDomain.FirstChanceException += Count;
        try
        {
            await Task.WhenAll(Enumerable.Range(0, 4).Select(thread => SideBySide.Start(() =>
            {
                threads[Environment.CurrentManagedThreadId] = true;
                var random = new Random(thread);
                for (int i = 0; i < 20_000; i++)
                    table.PutBytes(random.Next(1_000_000), new byte[random.Next(100) == 0 ? 50_000 : random.Next(3_000)], out _);
                threads.TryRemove(Environment.CurrentManagedThreadId, out _);
            })));
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Count;
        }
        Assert.InRange(table.Statistics.Evictions, 40_000, long.MaxValue);
        Assert.Equal(0, thrown);
        table.Core.CheckInvariants();
    }

    /// <summary>More segments must become free than a put makes attempts.</summary>
    [Fact]
    public void A_block_of_more_than_32_segments_is_stored()
    {
        const long SegmentBytes = 4 << 20;
        const int ValueBytes = 35 * (int)SegmentBytes;
        using var cache = new PileCache(
            new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = 40 * SegmentBytes }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        for (int key = 0; table.Statistics.Evictions == 0; key++)
            table.PutBytes(key, new byte[20_000], out _);
        PilePointer pointer = cache.Pile.Put(new byte[ValueBytes]);
        Assert.Equal(ValueBytes, cache.Pile.Get<byte[]>(pointer).Length);
        Assert.NotEqual(0, table.Statistics.EntryCount);
        table.Core.CheckInvariants();
        cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
    }

    private sealed class LengthFirst : IEqualityComparer<string>
    {
        public bool Equals(string? x, string? y) => x == y;

        public int GetHashCode(string obj) => obj.Length * 31 + string.GetHashCode(obj.AsSpan(0, 3), StringComparison.Ordinal)
            + int.Parse(obj.AsSpan(3), System.Globalization.CultureInfo.InvariantCulture);
    }

    private static PileCache Make(StoreKind store = StoreKind.Native) => new(
        new Pile(new PileOptions { Store = store, SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
        new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
}
