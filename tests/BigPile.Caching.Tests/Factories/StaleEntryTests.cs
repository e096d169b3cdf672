using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What a stale entry is for everything else than a factory that fails.</summary>
public sealed class StaleEntryTests : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan FailSafe = TimeSpan.FromHours(1);
    private static readonly TimeSpan Tick = new(1);
    private static readonly EntryOptions Kept = new() { MaxAge = Life, FailSafeMaxAge = FailSafe, FailSafeThrottle = TimeSpan.Zero };

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;

    public StaleEntryTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string>("t");
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private static string Throw(string key, FactoryContext<string> context) => throw new IOException("no source");

    [Fact]
    public void To_all_other_calls_it_is_missing()
    {
        _table.Put("a", "old", Kept with { Tags = ["tag"] });
        _time.Advance(Life);
        Assert.False(_table.TryGet("a", out _));
        Assert.False(_table.ContainsKey("a"));
        Assert.False(_table.TryGetEntry("a", out _));
        Assert.False(_table.TryGetPointer("a", out _));
        Assert.False(_table.Touch("a"));
        Assert.False(_table.Touch("a", new EntryOptions { MaxAge = Life }));
        Assert.Empty(_table.Entries);
        var values = new string?[1];
        Assert.Equal(0, _table.GetMany(["a"], values, new bool[1]));
        Assert.Equal("old", _table.GetOrAdd("a", Throw, Kept)); // none of it was its end
        Assert.Equal(PutResult.Inserted, _table.Put("a", "new", Kept));
    }

    [Fact]
    public void The_sweep_leaves_it_until_its_time_is_over_and_until_then_it_counts()
    {
        _table.Put("a", "old", Kept);
        _table.Put("b", "old", new EntryOptions { MaxAge = Life });
        _time.Advance(Life);
        Assert.Equal(1, _table.Sweep());
        Assert.Equal((1, 1), (_table.Count, _table.Statistics.Expirations));
        _time.Advance(FailSafe - Tick);
        Assert.Equal((0, 1), (_table.Sweep(), _table.Count));
        _time.Advance(Tick);
        Assert.Equal((1, 0, 2), (_table.Sweep(), _table.Count, _table.Statistics.Expirations));
        _table.Core.CheckInvariants();
    }

    [Fact]
    public void What_is_removed_by_key_by_tag_or_by_a_clear_is_given_to_nobody()
    {
        Action[] removals = [() => _table.Remove("a"), () => _table.RemoveByTag("tag"), () => _table.Clear()];
        foreach (Action remove in removals)
        {
            _table.Put("a", "old", Kept with { Tags = ["tag"] });
            _time.Advance(Life);
            remove();
            Assert.Throws<IOException>(() => _table.GetOrAdd("a", Throw, Kept));
            Assert.Throws<IOException>(() => _table.GetOrAdd("a", (_, _) => // and during the run
            {
                _table.Put("a", "older", Kept with { Tags = ["tag"] });
                _time.Advance(Life);
                remove();
                throw new IOException();
            }, Kept));
        }
        _table.Sweep();
        Assert.Equal(0, _table.Count);
    }

    [Fact]
    public void Its_time_begins_where_the_last_use_of_a_sliding_entry_ends()
    {
        var sliding = new EntryOptions { Sliding = Life, FailSafeMaxAge = FailSafe, FailSafeThrottle = TimeSpan.Zero };
        _table.Put("a", "old", sliding);
        for (int i = 0; i < 5; i++)
        {
            _time.Advance(Life / 2);
            Assert.Equal("old", _table.Get("a"));
        }
        _time.Advance(2 * Life);
        Assert.False(_table.TryGet("a", out _));
        _table.Sweep();
        Assert.Equal("old", _table.GetOrAdd("a", Throw, sliding));
        Assert.False(_table.TryGet("a", out _)); // it was no use
        _time.Advance(FailSafe + Life);
        Assert.Throws<IOException>(() => _table.GetOrAdd("a", Throw, sliding));
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
        PileCache cache = TestCache.Open(directory.Pile, _time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        for (int i = 0; i < 100; i++)
            table.Put($"key {i}", $"old {i}", Kept with { Tags = ["tag"], Priority = EntryPriority.High });
        _time.Advance(Life);
        if (isKilled)
            KilledPile.Copy(directory.Pile, copy);
        cache.Dispose();
        using PileCache again = TestCache.Open(copy, _time);
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
        using var cache = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20 }),
            new PileCacheOptions
            {
                OwnsPile = true,
                TimeProvider = _time,
                SpillDirectory = _directory.Path,
                SweepPeriod = TimeSpan.Zero,
            });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable() with { MaxBytes = 1 << 20 });
        const int keys = 3_000;
        for (int key = 0; key < keys; key++)
            table.Put(key, new byte[1_000 + key % 7], Kept);
        Eventually.True(() => table.Statistics.SpilledEntries > keys / 3);
        _time.Advance(Life);
        for (int key = 0; key < keys; key++)
            Assert.False(table.TryGet(key, out _));
        int stale = 0;
        for (int key = 0; key < keys; key++)
        {
            MadeValue<byte[]> made = table.GetOrAddEntry(key, (_, context) => context.Fail("none"), Kept);
            stale += made.Origin == ValueOrigin.Stale && made.Value.Length == 1_000 + key % 7 ? 1 : 0;
        }
        Assert.Equal(keys, stale);
        _time.Advance(FailSafe);
        table.Sweep();
        Assert.Equal((0, 0), (table.Count, table.Statistics.SpilledEntries));
    }

    [Fact]
    public void An_earlier_version_refuses_a_pile_with_such_entries_by_name()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache cache = TestCache.Open(directory.Pile, _time))
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
        _table.EntriesRemoved += batch =>
        {
            lock (removed)
                removed.AddRange(batch);
        };
        _table.Put("a", "old", Kept);
        _table.Put("b", "old", Kept);
        _time.Advance(Life);
        _table.Sweep();
        Assert.Equal("new", _table.GetOrAdd("a", (_, _) => "new", new EntryOptions()));
        _time.Advance(FailSafe);
        _table.Sweep();
        Eventually.True(() =>
        {
            lock (removed)
                return removed.Count == 2;
        });
        Assert.Equal(["a", "b"], removed.Select(static entry => entry.Key));
        Assert.All(removed, static entry => Assert.Equal(RemovalReason.Expired, entry.Reason));
    }
}
