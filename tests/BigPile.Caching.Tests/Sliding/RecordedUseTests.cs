using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Caching.Tests.Spill;
using BigPile.Checking;

namespace BigPile.Caching.Tests.Sliding;

/// <summary>
/// Each use of a sliding entry counts for its whole sliding time, whatever happens between the read's last check and its record.
/// </summary>
public sealed class RecordedUseTests : StoppedCacheTest
{
    private static readonly TimeSpan Life = TimeSpan.FromSeconds(16);
    private static readonly EntryOptions Sliding = new() { Sliding = Life };

    private PileCache Open(StoreKind store) => store == StoreKind.Mapped ? TestCache.Open(DirectoryPath, Time) : TestCache.Make(Time);

    /// <summary>Far more than the buffer has cells, and no sweep runs.</summary>
    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void However_many_are_used_at_once(StoreKind store)
    {
        const int keys = 20_000;
        using PileCache cache = Open(store);
        CacheTable<long, long> table = cache.GetOrCreateTable<long, long>("t");
        for (long key = 0; key < keys; key++)
            table.Put(key, key, Sliding);
        for (int round = 0; round < 3; round++)
        {
            Time.Advance(Life * 0.9);
            Assert.Equal((round, keys), (round, Enumerable.Range(0, keys).Count(key => table.TryGet(key, out _))));
        }
        Time.Advance(Life * 1.1);
        table.Sweep();
        Assert.Equal(0, table.Count);
        Eventually.True(() =>
        {
            table.Core.Touch.Drain(); // another thread may be at it
            return !table.Core.Liveness.Uses.HasAny;
        });
    }

    /// <summary>On a mapped pile a renewal copies the entry.</summary>
    [CrashPointTheory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void Though_a_renewal_comes_between(StoreKind store)
    {
        using PileCache cache = Open(store);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t");
        table.Put(1, [1], Sliding);
        Time.Advance(Life / 2);
        Assert.True(table.ContainsKey(1));
        Time.Advance(Life / 4);
        Assert.True(Read(table, 1, () => table.Core.Touch.Drain()));
        AssertLivesOn(table, 1);
    }

    [CrashPointFact]
    public void Though_it_is_moved_out_to_an_object_of_its_own()
    {
        using PileCache cache = Open(StoreKind.Native);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t");
        table.Put(1, [1], Sliding);
        Time.Advance(Life * 0.75);
        Assert.True(Read(table, 1, () =>
        {
            Assert.True(table.TryGetPointer(1, out _));
            Time.Advance(Life / 8);
        }));
        AssertLivesOn(table, 1);
        Assert.True(table.TryGetPointer(1, out _)); // a use as well, of what is there already
        AssertLivesOn(table, 1);
    }

    /// <summary>The clock was read for the lifetime of the replacement, and a use is recorded before it is in place.</summary>
    [Fact]
    public void Though_it_is_being_moved_out()
    {
        var time = new HookedTime();
        using var cache = new PileCache(
            new Pile(),
            new PileCacheOptions
            {
                OwnsPile = true, TimeProvider = time, SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable,
            });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t");
        table.Put(1, [1], Sliding);
        KeyProbe key = table.KeyCodec.Probe(1, stackalloc byte[64]);
        Assert.True(table.Core.Peek.TryPeek(key, out EntryCopy entry));
        bool wasThere = false;
        time.Hook = () =>
        {
            time.Passed = Life / 8;
            Task other = SideBySide.Start(() => wasThere = table.ContainsKey(1));
            other.Wait();
        };
        Assert.NotEqual(Condition.NotMet, table.Core.Externalize.Run(key, [1], ValueKind.Bytes, entry, out _));
        Assert.True(wasThere);
        time.Passed = Life * 1.1; // what was written for the instant of the hook has ended
        Assert.True(table.ContainsKey(1));
    }

    [CrashPointFact]
    public void Though_it_leaves_memory()
    {
        using var cache = new SpillingCache(Time);
        cache.Table.Put(-1, SpillingCache.Value(-1), Sliding);
        Time.Advance(Life * 0.75);
        Assert.True(Read(cache.Table, -1, () =>
        {
            for (int round = 1; IsInMemory(cache.Table, -1); round++)
                cache.Displace(round * 1_000_000);
            Time.Advance(Life / 8);
        }));
        AssertLivesOn(cache.Table, -1);
    }

    [Fact]
    public void Though_it_leaves_memory_before_that_is_written()
    {
        using var cache = new SpillingCache(Time);
        cache.Table.Put(-1, SpillingCache.Value(-1), Sliding);
        Time.Advance(Life * 0.75);
        Assert.True(cache.Table.ContainsKey(-1));
        for (int round = 1; IsInMemory(cache.Table, -1); round++)
            cache.Displace(round * 1_000_000);
        AssertLivesOn(cache.Table, -1);
    }

    [CrashPointFact]
    public void Though_the_cache_is_closed()
    {
        Task? closing = null;
        using (PileCache cache = Open(StoreKind.Mapped))
        {
            CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t");
            table.Put(1, [1], Sliding);
            Time.Advance(Life * 0.75);
            Assert.True(Read(table, 1, () =>
            {
                closing = SideBySide.Start(cache.Dispose);
                Assert.False(closing.Wait(TimeSpan.FromMilliseconds(50)));
            }));
            closing!.Wait();
        }
        using PileCache back = Open(StoreKind.Mapped);
        AssertLivesOn(back.GetOrCreateTable<int, byte[]>("t"), 1);
    }

    /// <summary>But for an entry that others have found to be no more.</summary>
    [CrashPointTheory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void But_not_once_it_has_ended(StoreKind store)
    {
        using PileCache cache = Open(store);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t");
        table.Put(1, [1], Sliding);
        Time.Advance(Life - TimeSpan.FromTicks(1));
        Assert.False(Read(table, 1, () =>
        {
            Time.Advance(TimeSpan.FromTicks(1));
            Assert.False(table.ContainsKey(1));
        }));
        Assert.False(table.ContainsKey(1));
    }

    /// <summary>The drain has seen the use, and waits for the entry's lock while another thread finds the entry expired.</summary>
    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void But_not_where_it_has_ended_before_its_renewal_is_written(StoreKind store)
    {
        using PileCache cache = Open(store);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t");
        table.Put(1, [1], Sliding);
        Time.Advance(Life * 0.75);
        Assert.True(table.ContainsKey(1));
        KeyProbe key = table.KeyCodec.Probe(1, stackalloc byte[64]);
        Task? taking = null;
        using (table.Core.Index.Lock(key.Hash))
        {
            taking = SideBySide.Start(() => table.Core.Touch.Drain());
            Assert.False(taking.Wait(TimeSpan.FromMilliseconds(50)));
            Time.Advance(Life);
            Assert.False(table.ContainsKey(1));
        }
        taking.Wait();
        Assert.False(table.ContainsKey(1));
    }

    [Fact]
    public void A_lease_is_a_use()
    {
        using PileCache cache = Open(StoreKind.Native);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t");
        table.Put(1, [1], Sliding);
        Time.Advance(Life * 0.75);
        Assert.True(table.TryLease(1, out PileLease? lease, out _));
        lease.Dispose();
        AssertLivesOn(table, 1);
    }

    private void AssertLivesOn(CacheTable<int, byte[]> table, int key)
    {
        table.Core.Touch.Drain();
        Time.Advance(Life * 0.99);
        Assert.True(table.ContainsKey(key));
        Time.Advance(Life * 0.99);
        Assert.True(table.ContainsKey(key));
    }

    private static bool IsInMemory(CacheTable<int, byte[]> table, int number)
    {
        KeyProbe key = table.KeyCodec.Probe(number, stackalloc byte[64]);
        using LockedBucket bucket = table.Core.Index.Lock(key.Hash);
        return table.Core.Entries.TryFindLocked(bucket, key, out _);
    }

    /// <summary>Reads, and lets another thread act just before the use is recorded.</summary>
    private static bool Read(CacheTable<int, byte[]> table, int number, Action meanwhile)
    {
        KeyProbe key = table.KeyCodec.Probe(number, stackalloc byte[64]);
        var reader = default(SizeReader);
        Task? other = null;
        using var hook = new CrashPointScope<CrashPoint>(point =>
        {
            if (point != CrashPoint.SearchBeforeRecordUse || other != null)
                return;
            other = Task.CompletedTask; // what the other thread passes itself
            other = SideBySide.Start(meanwhile);
            other.Wait();
        });
        bool found = table.Core.Lookup.TryRead(key, ref reader, 0, out _);
        Assert.NotNull(other);
        return found;
    }
}
