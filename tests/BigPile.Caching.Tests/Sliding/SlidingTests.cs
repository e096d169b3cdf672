using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Keys;
using BigPile.Caching.Tests.Spill;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Sliding;

/// <summary>
/// An entry that is used within its sliding time never expires, whenever the read buffer is drained; one that is not does.
/// </summary>
public sealed class SlidingTests : StoppedCacheTest
{
    private static readonly TimeSpan Life = TimeSpan.FromSeconds(16);
    private static readonly TimeSpan Ahead = Life / 16;

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void Used_within_its_time_it_lives_whenever_the_notes_are_taken(StoreKind store)
    {
        int seed = TestLeg.Seed(11);
        var random = new Random(seed);
        using PileCache cache = store == StoreKind.Mapped ? TestCache.Open(DirectoryPath, Time) : TestCache.Make(Time);
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        for (long key = 0; key < 3_000; key++) // more than the buffer has cells for
            table.Put(key, "value", new EntryOptions { Sliding = Life });
        for (int round = 0; round < 200; round++)
        {
            Time.Advance(Life * (0.5 + random.NextDouble() * 0.49));
            for (long key = 0; key < 100; key++)
                Assert.True(table.ContainsKey(key), $"seed {seed}, round {round}: key {key} is gone");
            if (random.Next(3) == 0)
                table.Sweep();
        }
        table.Sweep();
        Assert.Equal(100, table.Count);
        Time.Advance(Life + Ahead);
        Assert.Equal(0, Enumerable.Range(0, 100).Count(key => table.ContainsKey(key)));
        table.Sweep();
        Assert.Equal(0, table.Count);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Not_used_it_ends_in_its_time_and_is_never_there_again()
    {
        using PileCache cache = TestCache.Make(Time);
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        table.Put(1, "value", new EntryOptions { Sliding = Life });
        Time.Advance(Life / 2);
        Assert.True(table.ContainsKey(1)); // recorded
        Time.Advance(Life - TimeSpan.FromTicks(1));
        Assert.True(table.TryGetEntry(1, out TableEntry<long> entry)); // a peek is no use
        Assert.Equal(Time.GetUtcNow() + TimeSpan.FromTicks(1), entry.ExpiresAt);
        Time.Advance(TimeSpan.FromTicks(1));
        Assert.False(table.ContainsKey(1));
        table.Sweep();
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void A_hit_tells_the_end_that_the_use_gives()
    {
        using var spilling = new SpillingCache(Time);
        spilling.Fill(3_000, new EntryOptions { Sliding = Life });
        Time.Advance(Life * 0.9);
        for (int key = 0; key < 3_000; key++)
        {
            Assert.True(spilling.Table.TryGet(key, out _, out EntryInfo info));
            Assert.InRange(info.ExpiresAt!.Value, Time.GetUtcNow() + Life, Time.GetUtcNow() + Life + Ahead);
        }
        Assert.NotEqual(0, spilling.Table.Statistics.SpillReturns);
        Time.Advance(Life * 0.9);
        Assert.True(spilling.Table.TryLease(2_999, out PileLease? lease, out EntryInfo leased));
        lease.Dispose();
        Assert.InRange(leased.ExpiresAt!.Value, Time.GetUtcNow() + Life, Time.GetUtcNow() + Life + Ahead);
    }

    /// <summary>
    /// Records that need no space are applied after refused ones, and the rest once there is space, though no sweep runs.
    /// </summary>
    [Fact]
    public void In_a_full_pile_notes_of_what_is_gone_go()
    {
        using var cache = new PileCache(
            Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = 4 << 20, MaxBytes = 16 << 20 }),
            new PileCacheOptions
            {
                OwnsPile = true, TimeProvider = Time, SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable,
            });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        long count = 0;
        while (Record.Exception(() => table.Put(count, new byte[200_000], new EntryOptions { Sliding = Life })) is null)
            count++;
        for (int round = 0; round < 40; round++)
        {
            Time.Advance(Life / 4);
            for (long key = 0; key < count; key++)
                _ = table.ContainsKey(key);
            long first = round * 4 % count;
            for (long key = first; key < Math.Min(count, first + 4); key++) // records before those of others
            {
                _ = table.Remove(key);
                cache.Pile.Flush();
                if (Record.Exception(() => table.Put(key, new byte[200_000], new EntryOptions { Sliding = Life })) is PileFullException)
                    continue; // a renewal has the space
                Time.Advance(TimeSpan.FromTicks(Life.Ticks / 10_000));
                Assert.True(table.ContainsKey(key));
            }
            for (long key = 1_000; key < 1_500; key++)
            {
                table.Put(key, [1], new EntryOptions { Sliding = Life });
                Time.Advance(TimeSpan.FromTicks(Life.Ticks / 10_000));
                Assert.True(table.ContainsKey(key));
            }
            table.Sweep();
        }
        for (long key = 1_000; key < 1_500; key++)
            Assert.True(table.Remove(key));
        table.Sweep();
        Assert.InRange(table.Core.Liveness.Uses.Count, 0, count);
        Assert.InRange(table.Core.Liveness.Uses.Newest.Length, 1, 16_384);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void What_a_renewal_wrote_outlives_a_kill()
    {
        DateTimeOffset written = default;
        string killed = Kill(cache =>
        {
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
            table.Put(1, "value", new EntryOptions { Sliding = Life });
            table.Put(2, "value", new EntryOptions { Sliding = Life });
            Time.Advance(Life / 2);
            Assert.True(table.ContainsKey(1));
            table.Sweep(); // writes
            Assert.True(table.TryGetEntry(1, out TableEntry<long> entry));
            written = entry.ExpiresAt!.Value;
            Assert.True(table.ContainsKey(2)); // recorded only
        });
        Assert.Equal(Time.GetUtcNow() + Life + Ahead, written);
        using PileCache cache = TestCache.Open(killed, Time);
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        Time.Advance(written - Time.GetUtcNow() - TimeSpan.FromSeconds(1));
        Assert.True(table.ContainsKey(1));
        Assert.False(table.ContainsKey(2));
    }

    /// <summary>Also where another thread is draining.</summary>
    [Fact]
    public void What_was_only_noted_outlives_a_stop()
    {
        Stop(cache =>
        {
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
            table.Put(1, "value", new EntryOptions { Sliding = Life });
            Time.Advance(Life / 2);
            Assert.True(table.ContainsKey(1));
            Assert.True(table.Core.Liveness.Uses.TryEnterDrain(waits: true));
            Task closing = SideBySide.Start(cache.Dispose);
            Assert.False(closing.Wait(TimeSpan.FromMilliseconds(50)));
            table.Core.Liveness.Uses.ExitDrain();
            closing.Wait();
        });
        using PileCache cache = TestCache.Open(DirectoryPath, Time);
        Time.Advance(Life * 0.9);
        Assert.True(cache.GetOrCreateTable<long, string>("t").ContainsKey(1));
    }

    [Fact]
    public void A_read_that_outlives_its_entry_does_not_bring_it_back()
    {
        using PileCache cache = TestCache.Make(Time);
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        table.Put(1, "value", new EntryOptions { Sliding = Life });
        Time.Advance(Life / 2);
        KeyProbe key = table.KeyCodec.Probe(1, stackalloc byte[64]);
        var reader = new InterruptedReader(() => Time.Advance(Life));
        Assert.False(table.Core.Lookup.TryRead(key, ref reader, out _)); // by its end there is no such entry any more
        Assert.False(table.ContainsKey(1));
    }

    /// <summary>A renewal finds no space; the recorded use counts all the same, and for no other entry.</summary>
    [Fact]
    public void In_a_full_pile_what_is_used_lives_on()
    {
        const int used = 20;
        using var cache = new PileCache(
            Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = 4 << 20, MaxBytes = 8 << 20 }),
            new PileCacheOptions
            {
                OwnsPile = true, TimeProvider = Time, SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable,
            });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key <= used; key++)
            table.Put(key, new byte[1_000], new EntryOptions { Sliding = Life });
        long count = used + 1;
        while (Record.Exception(() => table.Put(count, new byte[1_000])) is null)
            count++;
        cache.Pile.Flush();
        for (int round = 0; round < 6; round++)
        {
            Time.Advance(Life * 0.6);
            for (long key = 0; key < used; key++)
                Assert.True(table.ContainsKey(key), $"round {round}: key {key} is gone");
            table.Sweep();
        }
        Assert.False(table.ContainsKey(used));
        Time.Advance(Life + Ahead);
        Assert.Equal(0, Enumerable.Range(0, used).Count(key => table.ContainsKey(key)));
        table.Sweep();
        Assert.Equal(0, table.Core.Liveness.Uses.Count);
        table.Core.CheckInvariants();
    }

    /// <summary>The disk has no space for copies of large entries: these live by their records; others are renewed or freed.</summary>
    [Fact]
    public void A_renewal_that_is_refused_holds_up_no_others()
    {
        var files = new RefusedSegments();
        using var cache = new PileCache(
            Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = 4 << 20, FileHook = files }),
            new PileCacheOptions
            {
                OwnsPile = true, TimeProvider = Time, SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable,
            });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < 40; key++)
            table.Put(key, new byte[key is >= 20 and < 24 ? 3_000_000 : 100], new EntryOptions { Sliding = Life });
        table.Put(40, new byte[100], new EntryOptions { MaxAge = Life / 4 });
        files.AreRefused = true;
        Time.Advance(Life / 2);
        for (long key = 0; key < 40; key++)
            Assert.True(table.ContainsKey(key));
        table.Sweep();
        Assert.Equal(40, table.Count);
        Assert.InRange(table.Core.Liveness.Uses.Count, 1, 4);
        Time.Advance(Life * 0.9);
        Assert.Equal(40, Enumerable.Range(0, 41).Count(key => table.ContainsKey(key)));
    }

    private sealed class RefusedSegments : IFileHook
    {
        internal bool AreRefused { get; set; }

        public void Before(FileOperation operation, string path)
        {
            if (AreRefused && operation is FileOperation.Create or FileOperation.Allocate)
                throw new System.IO.IOException($"'{path}' is refused.");
        }

        public void After(FileOperation operation, string path)
        {
        }
    }
}
