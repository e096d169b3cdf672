using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Caching.Capacity;
using BigPile.Caching.Persistence;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Objects that entries own go with them, and count for what a full pile may evict.</summary>
public sealed class OwnedObjectTests
{
    private const long PileBytes = 32 << 20;
    private const int ObjectBytes = 500_000; // of which a pile has some sixty

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Objects_that_entries_own_give_way(bool isExternalized)
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        var objects = new List<PilePointer>();
        for (int key = 0; key < 200; key++)
            objects.Add(PutOwned(table, key, isExternalized));
        Assert.InRange(table.Count, 30, 70);
        Assert.Equal(table.Count, objects.Count(pointer => cache.Pile.TryGet(pointer, out byte[]? _)));
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        long before = table.Count;
        for (int key = 0; key < 20; key++)
            durable.PutBytes(key, new byte[ObjectBytes], out _);
        Assert.InRange(table.Count, before - 30, before - 18);
        durable.PutBytes(-1, new byte[4 * ObjectBytes], out _); // for which objects beside each other must go
        Assert.Equal(21, durable.Statistics.EntryCount);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Pinned_entries_keep_their_objects()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        var never = new EntryOptions { Priority = EntryPriority.NeverEvict };
        for (int key = 0; key < 40; key++)
            table.PutPointer(key, cache.Pile.Put(new byte[ObjectBytes]), never);
        table.PutBytes(-1, [1], out _);
        Assert.Throws<PileFullException>(() => cache.Pile.Put(new byte[PileBytes / 2]));
        Assert.Equal(41, table.Count); // not even the entry that may go went in vain
    }

    [Fact]
    public void What_entries_own_is_counted_until_they_go()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Budget budget = table.Core.Limits.Budget;
        long one = OwnedBy(1);
        Assert.InRange(one, ObjectBytes, ObjectBytes + (64 << 10));
        table.PutPointer(1, cache.Pile.Put(new byte[ObjectBytes])); // another object
        Assert.Equal(one, budget.OwnedBytes);
        Assert.True(table.Touch(1, new EntryOptions { Priority = EntryPriority.High })); // the same object
        Assert.Equal(one, budget.OwnedBytes);
        Assert.True(table.Touch(1, new EntryOptions { Priority = EntryPriority.NeverEvict }));
        Assert.Equal(0, budget.OwnedBytes);
        Assert.True(table.Touch(1, new EntryOptions { Priority = EntryPriority.Low }));
        Assert.Equal(one, budget.OwnedBytes);
        table.PutBytes(1, [1], out _);
        Assert.Equal(0, budget.OwnedBytes);
        Assert.NotEqual(default, PutOwned(table, 2, isExternalized: true));
        Assert.Equal(one, budget.OwnedBytes);
        table.Remove(2);
        Assert.Equal(0, budget.OwnedBytes);
        PilePointer grown = cache.Pile.Put(new byte[100]);
        table.PutPointer(3, grown);
        cache.Pile.Replace(grown, new byte[ObjectBytes]);
        _ = OwnedBy(4);
        table.Clear();
        Assert.Equal(0, budget.OwnedBytes);

        long OwnedBy(int key)
        {
            table.PutPointer(key, cache.Pile.Put(new byte[ObjectBytes]));
            return budget.OwnedBytes;
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void After_an_opening_what_a_rebuild_finds_counts_and_what_is_restored_does_not(bool isRebuilt)
    {
        using var directory = new TemporaryDirectory();
        using (PileCache cache = TestCache.Open(directory.Path))
            cache.GetOrCreateTable<int, byte[]>(new TableOptions("t")).PutPointer(1, cache.Pile.Put(new byte[ObjectBytes]));
        if (isRebuilt)
            Array.ForEach(Directory.GetFiles(directory.Path, FileIndexStorage.HeadPrefix + "*"), File.Delete);
        using PileCache opened = TestCache.Open(directory.Path);
        CacheTable<int, byte[]> table = opened.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        Budget budget = table.Core.Limits.Budget;
        Assert.Equal(isRebuilt, budget.OwnedBytes != 0);
        table.PutPointer(2, opened.Pile.Put(new byte[ObjectBytes]));
        table.Remove(1);
        Assert.InRange(budget.OwnedBytes, ObjectBytes, ObjectBytes + (64 << 10));
    }

    private static PilePointer PutOwned(CacheTable<int, byte[]> table, int key, bool isExternalized)
    {
        var value = new byte[ObjectBytes];
        if (!isExternalized)
        {
            PilePointer pointer = table.Core.Pile.Put(value);
            table.PutPointer(key, pointer);
            return pointer;
        }
        table.PutBytes(key, value, out _);
        return table.GetPointer(key);
    }

    private static PileCache Make() => new(
        new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
        new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
}
