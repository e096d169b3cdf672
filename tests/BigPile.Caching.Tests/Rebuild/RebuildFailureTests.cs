using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Keys;
using BigPile.Caching.Persistence;
using BigPile.Caching.Recovery;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Tests.Rebuild;

public sealed class RebuildFailureTests
{
    [Fact]
    public void A_walk_that_fails_is_made_again_until_every_entry_is_known_and_no_mark_is_left()
    {
        using var pile = new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20 });
        var options = new PileCacheOptions { SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable };
        using (var cache = new PileCache(pile, options))
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 5_000; key++)
                table.Put(key, new byte[500]);
        }
        TableDefinition definition = Assert.Single(new TableIds(pile.Engine.Catalog).Tables);
        var time = new ManualTime();
        using var core = new TableEngine(
            pile, definition, KeyHash.New(), new CacheClock(time, pile.Engine.Id), TestCache.Durable())
        {
            PileCapacity = new PileCapacity(pile.Tables),
        };
        core.Visibility.BeginRebuild(core.Heap.Versions.Last);
        Span<byte> stack = stackalloc byte[8];
        for (long key = 0; key < 100; key++)
        {
            BitConverter.TryWriteBytes(stack, key);
            core.Delete.Remove(new KeyProbe(stack, core.Hash.Of((ulong)key)), Condition.None);
        }
        var cores = new FailingTables(new Dictionary<int, TableEngine> { [definition.Id] = core }, failures: 7);
        var readiness = new CacheReadiness();
        using var stop = new CancellationTokenSource();
        new IndexRebuild(
            pile.Tables, cores, new Dictionary<int, ulong>(), readiness, stop.Token) { FirstPause = TimeSpan.FromMilliseconds(1) }.Run();
        Assert.True(cores.Failed > 0);
        Assert.Null(readiness.Failure);
        Assert.True(pile.Engine.Background.FailureCount > 0);
        Assert.False(core.Visibility.IsRebuilding);
        Assert.Equal(4_900, core.Statistics.EntryCount);
        Assert.Equal(4_900, pile.Statistics.ObjectCount);
        core.Close();
    }

    [Fact]
    public async Task A_cache_that_is_disposed_does_not_wait_for_a_walk_that_never_succeeds()
    {
        using var pile = new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20 });
        using (var cache = new PileCache(pile, new PileCacheOptions { SweepPeriod = TimeSpan.Zero }))
            cache.GetOrCreateTable<long, byte[]>("t").Put(1, [1]);
        using var stop = new CancellationTokenSource();
        var readiness = new CacheReadiness();
        var cores = new FailingTables([], failures: int.MaxValue);
        var rebuild = new IndexRebuild(
            pile.Tables, cores, new Dictionary<int, ulong>(), readiness, stop.Token) { FirstPause = TimeSpan.FromMilliseconds(1) };
        Task running = SideBySide.Start(rebuild.Run);
        Eventually.True(() => cores.Failed > 3);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.WaitAsync(Eventually.Timeout));
        Assert.IsType<IOException>(readiness.Failure);
    }

    [Fact]
    public void A_rebuild_that_failed_shows_nothing_until_one_succeeds()
    {
        using var pile = new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20 });
        using (var cache = new PileCache(
            pile, new PileCacheOptions { SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable }))
        {
            for (long key = 0; key < 1_000; key++)
                cache.GetOrCreateTable<long, byte[]>("t").Put(key, [1]);
        }
        TableDefinition definition = Assert.Single(new TableIds(pile.Engine.Catalog).Tables);
        using var core = new TableEngine(
            pile, definition, KeyHash.New(), new CacheClock(new ManualTime(), pile.Engine.Id),
            TestCache.Durable())
        {
            PileCapacity = new PileCapacity(pile.Tables),
        };
        core.Visibility.BeginRebuild(core.Heap.Versions.Last);
        var cores = new FailingTables(new Dictionary<int, TableEngine> { [definition.Id] = core }, failures: 0) { FailsAtEnd = true };
        var table = new CacheTable<long, byte[]>(core);
        var rebuild = new IndexRebuild(pile.Tables, cores, new Dictionary<int, ulong>(), new CacheReadiness(), CancellationToken.None);
        Assert.Throws<IOException>(rebuild.RunOnce);
        Assert.Equal(1_000, core.Statistics.EntryCount);
        Assert.Empty(table.Keys);
        Assert.False(table.ContainsKey(1));
        cores.FailsAtEnd = false;
        rebuild.RunOnce();
        Assert.Equal(1_000, table.Keys.Count());
        Assert.True(table.ContainsKey(1));
        core.Close();
    }

    private sealed class FailingTables(Dictionary<int, TableEngine> tables, int failures) : IReadOnlyDictionary<int, TableEngine>
    {
        private int _failed;

        internal int Failed => _failed;

        internal bool FailsAtEnd { get; set; }

        public IEnumerable<int> Keys => tables.Keys;

        public IEnumerable<TableEngine> Values => FailsAtEnd ? throw new IOException("The device refused.") : tables.Values;

        public int Count => tables.Count;

        public TableEngine this[int key] => tables[key];

        public bool ContainsKey(int key) => tables.ContainsKey(key);

        public bool TryGetValue(int key, [MaybeNullWhen(false)] out TableEngine value)
        {
            if (Volatile.Read(ref _failed) < failures && Interlocked.Increment(ref _failed) <= failures)
                throw new IOException("The device refused.");
            return tables.TryGetValue(key, out value);
        }

        public IEnumerator<KeyValuePair<int, TableEngine>> GetEnumerator() => tables.GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => tables.GetEnumerator();
    }
}
