using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Persistence;
using BigPile.Caching.Recovery;
using BigPile.Caching.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests.Rebuild;

/// <summary>Walks of many parts, by some of which the others are estimated.</summary>
public sealed class RebuildInPartsTests : IDisposable
{
    private const int Entries = 40_000;

    private readonly Pile _pile;
    private readonly ManualTime _time = new();
    private readonly Dictionary<int, TableEngine> _cores = [];
    private readonly CacheReadiness _readiness = new();
    private int _errors;

    public RebuildInPartsTests() => _pile = new Pile(new PileOptions
    {
        Store = StoreKind.Native,
        SegmentBytes = 4 << 20,
        Logger = new CallingLogger((level, _) => _errors += level >= LogLevel.Error ? 1 : 0),
    });

    public void Dispose()
    {
        foreach (TableEngine core in _cores.Values)
        {
            core.Close();
            core.Dispose();
        }
        _pile.Dispose();
    }

    [Fact]
    public void An_index_is_as_large_as_its_entries_want_and_a_small_one_stays_small()
    {
        Fill("large", Entries);
        Fill("small", 30);
        Fill("gone", Entries / 4);
        Open();
        foreach (long key in Enumerable.Range(0, Entries / 4))
            Table("gone").Remove(key);
        Walk();
        Assert.Equal(
            [Entries, 30L, 0L], new[] { "large", "small", "gone" }.Select(name => Table(name).Core.Statistics.EntryCount));
        Assert.InRange(Buckets("large"), Entries / 4.5, Entries / 4.0);
        Assert.Equal(TableIndex.MinBuckets, Buckets("small"));
        Assert.Equal((long)Entries + 30, _pile.Statistics.ObjectCount);
        Assert.True(_readiness.EntriesFound >= Entries + 30 + Entries / 4, $"{_readiness.EntriesFound:N0} were found");
    }

    [Fact]
    public async Task Entries_that_are_all_replaced_or_removed_meanwhile_stay_so()
    {
        Fill("replaced", Entries);
        Fill("removed", Entries);
        Open();
        CacheTable<long, byte[]> replaced = Table("replaced");
        CacheTable<long, byte[]> removed = Table("removed");
        Task walk = SideBySide.Start(Walk);
        for (long key = 0; key < Entries; key++)
        {
            replaced.Put(key, [2]);
            removed.Remove(key);
        }
        await walk;
        Assert.Equal((Entries, 0L), (replaced.Core.Statistics.EntryCount, removed.Core.Statistics.EntryCount));
        for (long key = 0; key < Entries; key++)
        {
            Assert.Equal([2], replaced.Get(key));
            Assert.False(removed.ContainsKey(key));
        }
        Assert.Equal(Entries, _pile.Statistics.ObjectCount);
    }

    [Fact]
    public async Task A_table_grows_by_its_users_while_it_grows_for_the_walk()
    {
        Fill("t", Entries);
        Open();
        CacheTable<long, byte[]> table = Table("t");
        Task walk = SideBySide.Start(Walk);
        for (long key = Entries; key < Entries * 3; key++)
        {
            table.Put(key, [1]);
            Assert.True(table.ContainsKey(key));
        }
        await walk;
        Assert.Equal(Entries * 3, table.Core.Statistics.EntryCount);
        for (long key = 0; key < Entries * 3; key++)
            Assert.True(table.ContainsKey(key));
        Assert.InRange(Buckets("t"), Entries * 3 / 4.7, Entries * 3 / 4.0);
    }

    [Fact]
    public void Entries_of_a_table_that_was_made_since_are_passed_over_and_not_told_to_be_unreadable()
    {
        Fill("t", 100);
        Open();
        IndexRebuild walk = NewWalk();
        Fill("new", 100);
        walk.RunOnce();
        Assert.Equal((100, 0), (Table("t").Core.Statistics.EntryCount, _errors));
        Assert.Equal(200, _pile.Statistics.ObjectCount);
    }

    private void Fill(string name, int entries)
    {
        using var cache = new PileCache(
            _pile, new PileCacheOptions { SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(name);
        for (long key = 0; key < entries; key++)
            table.Put(key, new byte[100]);
    }

    private void Open()
    {
        foreach (TableDefinition definition in new TableIds(_pile.Engine.Catalog).Tables)
        {
            var core = new TableEngine(
                _pile, definition, KeyHash.New(), new CacheClock(_time, _pile.Engine.Id),
                TestCache.Durable(definition.Name))
            {
                PileCapacity = new PileCapacity(_pile.Tables),
            };
            core.Visibility.BeginRebuild(core.Heap.Versions.Last);
            _cores[definition.Id] = core;
        }
    }

    private void Walk() => NewWalk().RunOnce();

    private IndexRebuild NewWalk() => new(_pile.Tables, _cores, new Dictionary<int, ulong>(), _readiness, CancellationToken.None)
    {
        PartBytes = 64 << 10,
    };

    private CacheTable<long, byte[]> Table(string name) => new(_cores.Values.Single(core => core.Name == name));

    private double Buckets(string name) => Table(name).Core.Index.BucketCount;
}
