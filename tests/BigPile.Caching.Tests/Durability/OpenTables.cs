using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>A cache on a mapped pile, and its tables.</summary>
internal sealed class OpenTables : IDisposable
{
    /// <summary>The table that evicts what is too much for it.</summary>
    internal const int Limited = 1;

    private const int MostTables = 6;

    private readonly List<CacheTable<long, byte[]>> _tables = [];
    private readonly long? _feedBytes;

    internal OpenTables(string directory, Guid boot, SimulatedDisk? disk, ManualTime time, bool waits, bool hasFeed = false)
    {
        _feedBytes = hasFeed ? 256 << 10 : null;
        Cache = new PileCache(
            Pile.Open(directory, new PileOptions { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, BootId = boot, FileHook = disk }),
            new PileCacheOptions
            {
                OwnsPile = true,
                TimeProvider = time,
                SweepPeriod = TimeSpan.Zero,
                WaitsUntilReady = waits,
                DefaultTableOptions = TestCache.AllDurable,
            });
        for (int i = 0; i < Math.Max(2, Cache.TableNames.Count); i++)
            Create();
    }

    internal PileCache Cache { get; }

    internal Pile Pile => Cache.Pile;

    internal int Count => _tables.Count;

    internal CacheTable<long, byte[]> this[int table] => _tables[table];

    internal void Create()
    {
        if (_tables.Count == MostTables)
            return;
        _tables.Add(Cache.GetOrCreateTable<long, byte[]>(TestCache.Durable($"t{_tables.Count}") with { FeedBytes = _feedBytes }));
    }

    /// <summary>Drops a table, and makes it anew, with whatever id is free.</summary>
    internal void Drop(int table)
    {
        TableOptions options = _tables[table].Options;
        Assert.True(Cache.DropTable(options.Name));
        _tables[table] = Cache.GetOrCreateTable<long, byte[]>(options);
    }

    /// <summary>Begins to evict what is too much for one of the tables. Before that, all can be seen that there is.</summary>
    internal void Limit() => _tables[Limited].Configure(_tables[Limited].Options with { MaxEntries = 40 });

    internal void WaitUntilReady() => Cache.Readiness.Completion.Wait();

    /// <summary>All entries, with their values.</summary>
    internal Dictionary<TableKey, FoundEntry> ReadAll()
    {
        WaitUntilReady();
        var all = new Dictionary<TableKey, FoundEntry>();
        for (int table = 0; table < _tables.Count; table++)
        {
            foreach (long key in _tables[table].Keys)
            {
                if (_tables[table].TryGetEntry(key, out TableEntry<long> entry)) // before it is used, which puts off its expiry
                    all.Add(new TableKey(table, key), ReadOne(table, key, entry));
            }
        }
        return all;
    }

    /// <summary>Frees what is no more by time or tag.</summary>
    internal void Sweep() => _tables.ForEach(static table => table.Sweep());

    /// <summary>The objects of the pile that are no entries.</summary>
    internal IEnumerable<PilePointer> Objects() =>
        Pile.Where(static entry => entry.Kind != PayloadKind.TableEntry).Select(static entry => entry.Pointer);

    /// <summary>The blocks of entries and marks, and how many of them the tables know.</summary>
    internal (long Blocks, long Known) CountEntries()
    {
        long blocks = Pile.LongCount(static entry => entry.Kind == PayloadKind.TableEntry);
        return (blocks, _tables.Sum(static table => table.Count + table.Core.Tags.Count));
    }

    /// <summary>From when on an entry is gone.</summary>
    internal DateTimeOffset? ExpiryOf(TableKey key)
    {
        WriteUses(key.Table);
        return _tables[key.Table].TryGetEntry(key.Key, out TableEntry<long> entry) ? entry.ExpiresAt : null;
    }

    /// <summary>Drains the read buffers: a kill or a cut may forget what was not written.</summary>
    internal void WriteUses(int table) => _tables[table].Core.Touch.Drain(waits: true);

    public void Dispose() => Cache.Dispose();

    private FoundEntry ReadOne(int table, long key, TableEntry<long> entry)
    {
        try
        {
            return _tables[table].TryGet(key, out byte[]? value)
                ? new FoundEntry(value, entry, "is there")
                : new FoundEntry(null, entry, $"is missing, of {_tables[table].GetPointer(key)}");
        }
        catch (PileException e)
        {
            return new FoundEntry(null, entry, $"can't be read, of {_tables[table].GetPointer(key)}: {e.Message}");
        }
    }
}
