using System;
using System.Linq;
using BigPile.Caching.Capacity;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>While memory is short, tables that give way shrink and their pages go back to the system; then they may grow again.</summary>
public sealed class MemoryMonitorTests : IDisposable
{
    private const long PileBytes = 32 << 20;
    private const long MemoryBytes = 100 << 20;
    private const long Short = 1 << 20;
    private const long Neither = 15 << 20;
    private const long Enough = 60 << 20;

    private readonly PileCache _cache = new(
        new Pile(new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
        new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, MonitorsMemory = false });

    private long? _available = Neither;

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void A_table_shrinks_while_memory_is_short_and_grows_when_there_is_enough()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        MemoryMonitor monitor = MonitorOf(table);
        Fill(table, PileBytes);
        long full = table.Statistics.BlockBytes;
        _available = Short;
        for (int run = 0; run < 8; run++)
            monitor.Run();
        long withheld = _cache.Pile.Statistics.WithheldBytes;
        Assert.InRange(withheld, PileBytes / 2, PileBytes * 3 / 4);
        Assert.InRange(table.Statistics.BlockBytes, full / 5, full - withheld * 7 / 8);
        Fill(table, PileBytes); // within what is left
        Assert.Equal(withheld, _cache.Pile.Statistics.WithheldBytes);
        Assert.Equal(PileBytes, _cache.Pile.Statistics.ReservedBytes);
        CheckInvariants(table);
        _available = Neither;
        monitor.Run();
        Assert.Equal(withheld, _cache.Pile.Statistics.WithheldBytes);
        _available = Enough;
        for (int run = 0; run < 64; run++)
            monitor.Run();
        Assert.Equal(0, _cache.Pile.Statistics.WithheldBytes);
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
        Fill(table, PileBytes);
        Assert.InRange(table.Statistics.BlockBytes, full - full / 32, full + full / 32);
        CheckInvariants(table);
    }

    [Fact]
    public void A_pile_that_still_grows_does_not_while_memory_is_short()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, PileBytes / 2);
        _available = Short;
        MonitorOf(table).Run();
        long allowed = _cache.Pile.Tables.AllowedBytes;
        Assert.InRange(allowed, 1, PileBytes * 5 / 8);
        Fill(table, PileBytes);
        PileStatistics statistics = _cache.Pile.Statistics;
        Assert.InRange(statistics.ReservedBytes - statistics.WithheldBytes, 1, allowed);
        Assert.InRange(statistics.ReservedBytes, 1, PileBytes);
        CheckInvariants(table);
    }

    [Fact]
    public void What_must_stay_stays_and_the_pile_is_left_alone()
    {
        CacheTable<int, byte[]> durable = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        Fill(durable, PileBytes / 2);
        long count = durable.Statistics.EntryCount;
        _available = Short;
        MonitorOf(durable).Run();
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
        Assert.Equal(count, durable.Statistics.EntryCount);
    }

    [Fact]
    public void Entries_that_stay_and_objects_are_there_after_all_else_has_gone()
    {
        CacheTable<int, byte[]> durable = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        var objects = new PilePointer[1_000];
        for (int i = 0; i < objects.Length; i++)
        {
            objects[i] = _cache.Pile.Put(new byte[500]);
            durable.PutBytes(i, new byte[500], out _);
        }
        Fill(table, PileBytes / 2);
        _available = Short;
        MemoryMonitor monitor = MonitorOf(table);
        for (int run = 0; run < 200; run++)
            monitor.Run();
        Assert.Equal(objects.Length, durable.Statistics.EntryCount);
        Assert.All(objects, pointer => Assert.Equal(500, _cache.Pile.Get<byte[]>(pointer).Length));
        Assert.InRange(_cache.Pile.Statistics.WithheldBytes, PileBytes / 8, PileBytes);
        durable.PutBytes(-1, new byte[100_000], out _); // what is left serves it, or the table does
        CheckInvariants(table);
        CheckInvariants(durable);
    }

    [Fact]
    public void Memory_goes_back_though_a_few_entries_stay_everywhere()
    {
        CacheTable<int, byte[]> durable = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        for (int key = 0; table.Statistics.Evictions == 0; key++) // one that stays in each fourth page
            _ = key % 500 == 0 ? durable.PutBytes(key, new byte[500], out _) : table.PutBytes(key, new byte[500], out _);
        long stays = durable.Statistics.EntryCount;
        _available = Short;
        MemoryMonitor monitor = MonitorOf(table);
        for (int run = 0; run < 10; run++)
            monitor.Run();
        Assert.InRange(_cache.Pile.Statistics.WithheldBytes, PileBytes / 4, PileBytes);
        Assert.Equal(stays, durable.Statistics.EntryCount);
        CheckInvariants(table);
    }

    [Fact]
    public void What_must_stay_is_stored_while_memory_is_short_and_the_pile_grows_by_whole_segments()
    {
        CacheTable<int, byte[]> durable = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, PileBytes / 2);
        _available = Short;
        MemoryMonitor monitor = MonitorOf(table);
        for (int key = 0; key < 200; key++)
        {
            monitor.Run();
            durable.PutBytes(key, new byte[100_000], out _);
        }
        Assert.Equal(200, durable.Statistics.EntryCount);
        Assert.InRange(_cache.Pile.Statistics.SegmentCount, 1, PileBytes / (4 << 20));
        _available = Enough;
        for (int run = 0; run < 64; run++)
            monitor.Run();
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
        CheckInvariants(durable);
    }

    [Fact]
    public void With_the_end_of_the_monitor_the_pile_has_all_of_its_limit_again()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, PileBytes);
        _available = Short;
        MemoryMonitor monitor = MonitorOf(table);
        monitor.Run();
        Assert.NotEqual(0, _cache.Pile.Statistics.WithheldBytes);
        monitor.End();
        monitor.Run(); // one that was due
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
        Assert.Equal(0, _cache.Pile.Statistics.WithheldBytes);
        CheckInvariants(table);
    }

    [Fact]
    public void A_pile_without_a_limit_has_none_again_once_there_is_enough_memory()
    {
        using var log = new KeptLog(LogLevel.Information, "");
        using var cache = new PileCache(
            new Pile(new PileOptions { SegmentBytes = 4 << 20, MaxBytes = long.MaxValue, Logger = log }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, MonitorsMemory = false });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, PileBytes);
        var monitor = new MemoryMonitor(cache.Pile.Tables, table.Core.PileCapacity, static () => MemoryBytes, () => _available);
        for (int time = 1; time <= 2; time++)
        {
            _available = Short;
            for (int run = 0; run < 8; run++)
                monitor.Run();
            Assert.InRange(cache.Pile.Tables.AllowedBytes, 1, PileBytes / 2);
            Assert.NotEqual(0, cache.Pile.Statistics.WithheldBytes);
            _available = Enough;
            for (int run = 0; run < 64; run++)
                monitor.Run();
            Assert.Equal((long.MaxValue, 0), (cache.Pile.Tables.AllowedBytes, cache.Pile.Statistics.WithheldBytes));
            Assert.Equal(
                (time, time), (CountOf("is short by"), CountOf("is no longer short")));
            Fill(table, 2 * PileBytes);
            Assert.InRange(table.Statistics.BlockBytes, PileBytes * 2, long.MaxValue);
        }

        int CountOf(string part) => log.Lines.Count(line => line.Contains(part, StringComparison.Ordinal));
    }

    [Fact]
    public void A_limit_that_a_container_gets_later_counts()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, PileBytes);
        long memory = 100 * MemoryBytes;
        var monitor = new MemoryMonitor(_cache.Pile.Tables, table.Core.PileCapacity, () => memory, () => _available);
        memory = MemoryBytes;
        _available = Enough;
        monitor.Run();
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
    }

    [Fact]
    public void What_others_took_at_once_is_kept_free_for_them_and_forgotten_in_time()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, PileBytes);
        MemoryMonitor monitor = MonitorOf(table);
        _available = Neither;
        monitor.Run();
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
        _available = Enough;
        monitor.Run();
        _available = Neither; // the same as before, but it was taken between two runs
        monitor.Run();
        Assert.InRange(_cache.Pile.Tables.AllowedBytes, 1, PileBytes - 1);
        for (int run = 0; run < 10_000; run++)
            monitor.Run();
        _available = Enough / 2;
        for (int run = 0; run < 64; run++)
            monitor.Run();
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
        CheckInvariants(table);
    }

    [Fact]
    public void A_pile_too_small_to_help_is_left_alone()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, 4 << 20);
        _available = Short;
        MonitorOf(table).Run();
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
        Assert.Equal(0, table.Statistics.Evictions);
    }

    [Fact]
    public void An_unknown_amount_changes_nothing()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Fill(table, PileBytes);
        _available = null;
        MonitorOf(table).Run();
        Assert.Equal(PileBytes, _cache.Pile.Tables.AllowedBytes);
    }

    private static void Fill(CacheTable<int, byte[]> table, long bytes)
    {
        for (int key = 0; key < bytes / 500; key++)
            table.PutBytes(key, new byte[500], out _);
    }

    private MemoryMonitor MonitorOf(CacheTable<int, byte[]> table) =>
        new(_cache.Pile.Tables, table.Core.PileCapacity, () => MemoryBytes, () => _available);

    private void CheckInvariants(CacheTable<int, byte[]> table)
    {
        table.Core.CheckInvariants();
        _cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
    }
}
