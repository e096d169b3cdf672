using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Operations;

namespace BigPile.Caching.Tests.Reads;

/// <summary>An entry that is used within its sliding time never ends, however its notes are taken; and one that is not does.</summary>
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
        for (long key = 0; key < 3_000; key++) // more than the notes have room for
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
        Assert.True(table.ContainsKey(1)); // noted
        Time.Advance(Life - TimeSpan.FromTicks(1));
        Assert.True(table.TryGetEntry(1, out TableEntry<long> entry)); // a look is no use
        Assert.Equal(Time.GetUtcNow() + TimeSpan.FromTicks(1), entry.ExpiresAt);
        Time.Advance(TimeSpan.FromTicks(1));
        Assert.False(table.ContainsKey(1));
        table.Sweep();
        Assert.Equal(0, table.Count);
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
            Assert.True(table.ContainsKey(2)); // noted only
        });
        Assert.Equal(Time.GetUtcNow() + Life + Ahead, written);
        using PileCache cache = TestCache.Open(killed, Time);
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        Time.Advance(written - Time.GetUtcNow() - TimeSpan.FromSeconds(1));
        Assert.True(table.ContainsKey(1));
        Assert.False(table.ContainsKey(2));
    }

    /// <summary>Also where another thread is about to take the notes.</summary>
    [Fact]
    public void What_was_only_noted_outlives_a_stop()
    {
        Stop(cache =>
        {
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
            table.Put(1, "value", new EntryOptions { Sliding = Life });
            Time.Advance(Life / 2);
            Assert.True(table.ContainsKey(1));
            table.Core.ReadBuffer.Gate.Enter();
            Task closing = SideBySide.Start(cache.Dispose);
            Assert.False(closing.Wait(TimeSpan.FromMilliseconds(50)));
            table.Core.ReadBuffer.Gate.Exit();
            closing.Wait();
        });
        using PileCache cache = TestCache.Open(DirectoryPath, Time);
        Time.Advance(Life * 0.9);
        Assert.True(cache.GetOrCreateTable<long, string>("t").ContainsKey(1));
    }
}
