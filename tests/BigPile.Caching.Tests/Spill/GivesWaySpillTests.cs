using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Capacity;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tests.Spill;

/// <summary>What tables of a full pile evict goes to their files: how much waits for them, and who.</summary>
public sealed class GivesWaySpillTests : IDisposable
{
    private const long PileBytes = 32 << 20;
    private const int ValueBytes = 1_000;

    private readonly TemporaryDirectory _directory = new();
    private readonly PileCache _cache;

    public GivesWaySpillTests() => _cache = new PileCache(
        new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
        new PileCacheOptions { OwnsPile = true, SpillDirectory = _directory.Path, SweepPeriod = TimeSpan.Zero });

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public async Task Both_of_two_tables_that_give_way_to_each_other_keep_all()
    {
        CacheTable<int, byte[]>[] tables = [Make("first"), Make("second")];
        const int Count = 30_000;
        // Both ways at once: each table gives way to puts of the other, made under the lock of a key stripe.
        await Task.WhenAll(tables.Select(table => SideBySide.Start(() =>
        {
            for (int key = 0; key < Count; key++)
                table.PutBytes(key, BitConverter.GetBytes(key).Concat(new byte[ValueBytes]).ToArray(), out _);
        })));
        foreach (CacheTable<int, byte[]> table in tables)
        {
            for (int key = 0; key < Count; key += 7)
                Assert.Equal(key, BitConverter.ToInt32(table.Get(key)!));
        }
    }

    [Fact]
    public async Task What_waits_for_the_files_is_bounded()
    {
        const long Batch = PileBytes / 64; // that one put has tables evict
        CacheTable<int, byte[]>[] tables = [.. Enumerable.Range(0, 8).Select(i => Make($"t{i}"))];
        var most = new long[2];
        await Task.WhenAll(Enumerable.Range(0, most.Length).Select(thread => SideBySide.Start(() =>
        {
            for (int key = 0; key < 40_000; key++)
            {
                tables[key % tables.Length].PutBytes(thread << 20 | key, new byte[ValueBytes], out _);
                most[thread] = Math.Max(most[thread], tables[0].Core.PileCapacity.Backlog.Bytes);
            }
        })));
        Assert.All(tables, table => Assert.NotEqual(0, table.Statistics.SpilledEntries));
        Assert.InRange(most.Max(), Batch / 8, 2 * tables[0].Core.PileCapacity.Backlog.BoundBytes + most.Length * Batch);
        Eventually.True(() => tables[0].Core.PileCapacity.Backlog.Bytes == 0); // the background has written the rest
        Assert.All(tables, table => Assert.Equal(0, table.Statistics.SpillLosses));
    }

    [Fact]
    public void What_a_large_put_evicts_is_written_at_once()
    {
        CacheTable<int, byte[]> table = FillTable();
        _cache.Pile.Put(new byte[PileBytes / 2]); // an object: no table writes for it
        Assert.InRange(Backlog.Bytes, 0, 2 * Backlog.BoundBytes + 2 * ValueBytes);
        table.PutBytes(-1, new byte[PileBytes / 8], out _); // which holds the lock of a key stripe
        AwaitWritten();
        TableStatistics statistics = table.Statistics;
        Assert.InRange(statistics.Evictions * ValueBytes, PileBytes / 3, PileBytes);
        Assert.Equal((statistics.Evictions, 0), (statistics.SpilledEntries, statistics.SpillLosses));
    }

    [Fact]
    public void What_can_not_be_written_at_once_is_bounded_and_the_rest_is_lost_and_counted()
    {
        CacheTable<int, byte[]> table = FillTable();
        using (Hold(table.Core.Disk!.Store)) // as by a disk that takes nothing
        {
            _cache.Pile.Put(new byte[PileBytes / 2]);
            Assert.InRange(Backlog.Bytes, Backlog.BoundBytes, Backlog.MostBytes + 2 * ValueBytes);
            Assert.InRange(table.Statistics.SpillLosses * ValueBytes, PileBytes / 8, PileBytes);
        }
        AwaitWritten();
        TableStatistics statistics = table.Statistics;
        Assert.Equal(statistics.Evictions, statistics.SpilledEntries + statistics.SpillLosses);
    }

    [Fact]
    public void What_the_memory_monitor_evicts_does_not_wait_in_memory()
    {
        CacheTable<int, byte[]> table = FillTable();
        var monitor = new MemoryMonitor(_cache.Pile.Tables, table.Core.PileCapacity, static () => 3 * PileBytes, static () => 1 << 20);
        using (Hold(table.Core.Disk!.Store))
        {
            for (int run = 0; run < 8; run++)
                monitor.Run();
            Assert.InRange(Backlog.Bytes, Backlog.BoundBytes, Backlog.MostBytes + 2 * ValueBytes);
        }
        Assert.InRange(_cache.Pile.Statistics.WithheldBytes, PileBytes / 2, PileBytes);
        AwaitWritten();
        TableStatistics statistics = table.Statistics;
        Assert.Equal(statistics.Evictions, statistics.SpilledEntries + statistics.SpillLosses);
    }

    [Fact]
    public async Task A_put_does_not_wait_for_the_file_of_another_table()
    {
        CacheTable<int, byte[]> other = Make("other");
        int key = 0;
        for (; !_cache.Pile.Tables.IsNearlyFull; key++)
            other.PutBytes(key, new byte[ValueBytes], out _);
        CacheTable<int, byte[]> table = Make("table");
        Assert.Equal(0, other.Statistics.Evictions);
        using (Hold(other.Core.Disk!.Store)) // as while its file is made
        {
            await SideBySide.Start(() =>
            {
                long before = 0;
                for (int times = 0; times < 2; key++) // once more after the background has begun to wait
                {
                    table.PutBytes(key, new byte[ValueBytes], out _);
                    times += other.Statistics.Evictions != before ? 1 : 0;
                    before = other.Statistics.Evictions;
                }
            }).WaitAsync(TimeSpan.FromMinutes(1));
            Assert.Equal(0, other.Statistics.SpilledEntries);
        }
        Eventually.True(() => other.Statistics.SpilledEntries == other.Statistics.Evictions);
    }

    [Fact]
    public void What_a_dropped_table_owes_its_file_is_forgotten()
    {
        CacheTable<int, byte[]> other = Make("other");
        CacheTable<int, byte[]> table = Make("table");
        for (int key = 0; other.Statistics.Evictions == 0; key++)
            (key % 2 == 0 ? other : table).PutBytes(key, new byte[ValueBytes], out _);
        _cache.DropTable("other");
        Eventually.True(() => table.Core.PileCapacity.Backlog.Bytes == 0);
    }

    // Holds all stripes of a store, by a thread of its own, as a lock has an owner.
    private static IDisposable Hold(SpillStore store)
    {
        var isHeld = new ManualResetEventSlim();
        var isOver = new ManualResetEventSlim();
        Task holder = SideBySide.Start(() =>
        {
            KeyStripe[] stripes = [.. Enumerable.Range(0, SpillStore.StripeCount).Select(hash => store.StripeOf((ulong)hash))];
            Array.ForEach(stripes, static stripe => stripe.Lock.Enter());
            isHeld.Set();
            isOver.Wait();
            Array.ForEach(stripes, static stripe => stripe.Lock.Exit());
        });
        isHeld.Wait();
        return new Held(() =>
        {
            isOver.Set();
            holder.GetAwaiter().GetResult();
        });
    }

    // What the background has taken from the backlog counts as spilled once it is written.
    private void AwaitWritten() => Eventually.True(() => Backlog.Bytes == 0 && _cache.Pile.Engine.Background.IsIdle);

    private DemotionBacklog Backlog => _cache.GetOrCreateTable<int, byte[]>(new TableOptions("table")).Core.PileCapacity.Backlog;

    private CacheTable<int, byte[]> FillTable()
    {
        CacheTable<int, byte[]> table = Make("table");
        for (int key = 0; key < PileBytes / ValueBytes * 7 / 8; key++)
            table.PutBytes(key, new byte[ValueBytes], out _);
        table.Core.PileCapacity.Prepare();
        return table;
    }

    private CacheTable<int, byte[]> Make(string name) =>
        _cache.GetOrCreateTable<int, byte[]>(new TableOptions(name) { MaxBytes = 4 * PileBytes });

    private sealed class Held(Action end) : IDisposable
    {
        public void Dispose() => end();
    }
}
