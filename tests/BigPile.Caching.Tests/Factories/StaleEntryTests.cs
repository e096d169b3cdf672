using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What a stale entry is for everything else than a factory that fails.</summary>
public sealed class StaleEntryTests : FailSafeTest
{
    [Fact]
    public void To_all_other_calls_it_is_missing()
    {
        Table.Put("a", "old", Kept with { Tags = ["tag"] });
        Time.Advance(Life);
        Assert.False(Table.TryGet("a", out _));
        Assert.False(Table.ContainsKey("a"));
        Assert.False(Table.TryGetEntry("a", out _));
        Assert.False(Table.TryGetPointer("a", out _));
        Assert.False(Table.Touch("a"));
        Assert.False(Table.Touch("a", new EntryOptions { MaxAge = Life }));
        Assert.Empty(Table.Entries);
        var values = new string?[1];
        Assert.Equal(0, Table.GetMany(["a"], values, new bool[1]));
        Assert.Equal("old", Table.GetOrAdd("a", Throw, Kept)); // none of it was its end
        Assert.Equal(PutResult.Inserted, Table.Put("a", "new", Kept));
    }

    [Fact]
    public void A_removal_with_a_condition_finds_nothing_and_leaves_it()
    {
        Table.Put("a", "old", Kept, out EntryInfo info);
        Time.Advance(Life);
        Assert.False(Table.Remove("a", info.Version));
        Assert.False(Table.Remove("a", info.Version + 1));
        Assert.Equal("old", Table.GetOrAdd("a", Throw, Kept));
        Assert.False(Table.Remove("a"));
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, Kept));
    }

    /// <summary>Its uses are in the read buffer, and no sweep has written them.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_time_of_a_sliding_one_counts_from_its_last_use(bool isSweptWhenStale)
    {
        EntryOptions sliding = new() { Sliding = Life, FailSafeMaxAge = FailSafe, FailSafeThrottle = TimeSpan.Zero };
        Table.Put("a", "old", sliding);
        Time.Advance(Life - 2 * Tick);
        Assert.Equal("old", Table.Get("a"));
        Time.Advance(Life - 2 * Tick); // uses are recorded to two ticks
        Assert.Equal("old", Table.Get("a"));
        Time.Advance(Life);
        Assert.False(Table.TryGet("a", out _));
        if (isSweptWhenStale)
            Assert.Equal((0, 1), (Table.Sweep(), Table.Count));
        Time.Advance(FailSafe - Tick);
        Assert.Equal((0, 1), (Table.Sweep(), Table.Count));
        Assert.Equal("old", Table.GetOrAdd("a", Throw, sliding));
        Assert.False(Table.TryGet("a", out _));
        Time.Advance(Tick);
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, sliding));
        Table.Core.CheckInvariants();
    }

    [Fact]
    public void The_sweep_leaves_it_until_its_time_is_over_and_until_then_it_counts()
    {
        Table.Put("a", "old", Kept);
        Table.Put("b", "old", new EntryOptions { MaxAge = Life });
        Time.Advance(Life);
        Assert.Equal(1, Table.Sweep());
        Assert.Equal((1, 1), (Table.Count, Table.Statistics.Expirations));
        Time.Advance(FailSafe - Tick);
        Assert.Equal((0, 1), (Table.Sweep(), Table.Count));
        Time.Advance(Tick);
        Assert.Equal((1, 0, 2), (Table.Sweep(), Table.Count, Table.Statistics.Expirations));
        Table.Core.CheckInvariants();
    }

    [Fact]
    public void What_is_removed_by_key_by_tag_or_by_a_clear_is_given_to_nobody()
    {
        Action[] removals = [() => Table.Remove("a"), () => Table.RemoveByTag("tag"), () => Table.Clear()];
        foreach (Action remove in removals)
        {
            Table.Put("a", "old", Kept with { Tags = ["tag"] });
            Time.Advance(Life);
            remove();
            Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, Kept));
            Assert.Throws<IOException>(() => Table.GetOrAdd("a", (_, _) => // and during the run
            {
                Table.Put("a", "older", Kept with { Tags = ["tag"] });
                Time.Advance(Life);
                remove();
                throw new IOException();
            }, Kept));
        }
        Table.Sweep();
        Assert.Equal(0, Table.Count);
    }

    [Fact]
    public void Its_time_begins_where_the_last_use_of_a_sliding_entry_ends()
    {
        var sliding = new EntryOptions { Sliding = Life, FailSafeMaxAge = FailSafe, FailSafeThrottle = TimeSpan.Zero };
        Table.Put("a", "old", sliding);
        for (int i = 0; i < 5; i++)
        {
            Time.Advance(Life / 2);
            Assert.Equal("old", Table.Get("a"));
        }
        Time.Advance(2 * Life);
        Assert.False(Table.TryGet("a", out _));
        Table.Sweep();
        Assert.Equal("old", Table.GetOrAdd("a", Throw, sliding));
        Assert.False(Table.TryGet("a", out _)); // it was no use
        Time.Advance(FailSafe + Life);
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, sliding));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void It_is_there_after_a_restart_and_after_a_kill(bool isKilled)
    {
        using var directory = new TemporaryDirectory();
        string copy = directory.Pile;
        if (isKilled)
            copy += "-killed";
        PileCache cache = TestCache.Open(directory.Pile, Time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        for (int i = 0; i < 100; i++)
            table.Put($"key {i}", $"old {i}", Kept with { Tags = ["tag"], Priority = EntryPriority.High });
        Time.Advance(Life);
        if (isKilled)
            KilledPile.Copy(directory.Pile, copy);
        cache.Dispose();
        using PileCache again = TestCache.Open(copy, Time);
        table = again.GetOrCreateTable<string, string>("t");
        Assert.Empty(table.Entries);
        for (int i = 0; i < 100; i++)
            Assert.Equal($"old {i}", table.GetOrAdd($"key {i}", Throw, Kept));
        table.RemoveByTag("tag");
        Assert.Throws<IOException>(() => table.GetOrAdd("key 1", Throw, Kept));
        table.Core.CheckInvariants();
    }

    [Fact]
    public void It_is_there_when_it_was_evicted_to_the_file()
    {
        using var directory = new TemporaryDirectory();
        using var cache = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20 }),
            new PileCacheOptions
            {
                OwnsPile = true,
                TimeProvider = Time,
                SpillDirectory = directory.Path,
                SweepPeriod = TimeSpan.Zero,
            });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable() with { MaxBytes = 1 << 20 });
        const int keys = 3_000;
        for (int key = 0; key < keys; key++)
            table.Put(key, new byte[1_000 + key % 7], Kept);
        Eventually.True(() => table.Statistics.SpilledEntries > keys / 3);
        Time.Advance(Life);
        for (int key = 0; key < keys; key++)
            Assert.False(table.TryGet(key, out _));
        int stale = 0;
        for (int key = 0; key < keys; key++)
        {
            MadeValue<byte[]> made = table.GetOrAddEntry(key, (_, context) => context.Fail("none"), Kept);
            stale += made.Origin == ValueOrigin.Stale && made.Value.Length == 1_000 + key % 7 ? 1 : 0;
        }
        Assert.Equal(keys, stale);
        Time.Advance(FailSafe);
        table.Sweep();
        Assert.Equal((0, 0), (table.Count, table.Statistics.SpilledEntries));
    }

    [Fact]
    public void An_earlier_version_refuses_a_pile_with_such_entries_by_name()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache cache = TestCache.Open(directory.Pile, Time))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            table.Put("a", "b", new EntryOptions { MaxAge = Life });
            Assert.False(HasFeature());
            table.Put("a", "b", Kept);
            Assert.True(HasFeature());
        }
        Assert.True(HasFeature());

        bool HasFeature() => File.ReadAllBytes(Path.Combine(directory.Pile, "superblock")).AsSpan().IndexOf("fail-safe-entries"u8) >= 0;
    }

    [Fact]
    public void Listeners_hear_of_its_end_once()
    {
        var removed = new List<RemovedEntry<string>>();
        Table.EntriesRemoved += batch =>
        {
            lock (removed)
                removed.AddRange(batch);
        };
        Table.Put("a", "old", Kept);
        Table.Put("b", "old", Kept);
        Time.Advance(Life);
        Table.Sweep();
        Assert.Equal("new", Table.GetOrAdd("a", (_, _) => "new", new EntryOptions()));
        Time.Advance(FailSafe);
        Table.Sweep();
        Eventually.True(() =>
        {
            lock (removed)
                return removed.Count == 2;
        });
        Assert.Equal(["a", "b"], removed.Select(static entry => entry.Key));
        Assert.All(removed, static entry => Assert.Equal(RemovalReason.Expired, entry.Reason));
    }
}
