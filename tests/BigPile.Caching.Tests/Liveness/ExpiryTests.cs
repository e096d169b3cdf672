using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace BigPile.Caching.Tests.Liveness;

public sealed class ExpiryTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;

    public ExpiryTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string>("t");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void An_entry_is_there_until_the_millisecond_at_which_it_expires()
    {
        _table.Put("a", "1", new EntryOptions { MaxAge = TimeSpan.FromMilliseconds(100) });
        _table.Put("b", "2", new EntryOptions { ExpiresAt = _time.GetUtcNow().AddMilliseconds(100) });
        _time.Advance(TimeSpan.FromMilliseconds(99));
        Assert.Equal(("1", "2"), (_table.Get("a"), _table.Get("b")));
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.False(_table.TryGet("a", out _));
        Assert.False(_table.ContainsKey("b"));
        Assert.False(_table.TryGetEntry("b", out _));
        Assert.False(_table.TryLease("b", out _, out _));
    }

    [Fact]
    public void Put_and_read_tell_when_an_entry_is_gone()
    {
        DateTimeOffset end = _time.GetUtcNow().AddSeconds(7);
        _table.Put("a", "1", new EntryOptions { ExpiresAt = end }, out EntryInfo put);
        Assert.True(_table.TryGet("a", out _, out EntryInfo read));
        Assert.Equal((end, end), (put.ExpiresAt, read.ExpiresAt));
        _table.Put("a", "2", null, out put);
        Assert.True(_table.TryGet("a", out _, out read));
        Assert.Equal((null, null), (put.ExpiresAt, read.ExpiresAt));
    }

    [Fact]
    public void The_earlier_of_age_and_instant_counts()
    {
        _table.Put("a", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(5), ExpiresAt = _time.GetUtcNow().AddSeconds(1) });
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(_table.ContainsKey("a"));
    }

    [Fact]
    public void A_sliding_entry_lives_as_long_as_it_is_used_and_no_longer_than_its_end()
    {
        var options = new EntryOptions { Sliding = TimeSpan.FromSeconds(10), MaxAge = TimeSpan.FromSeconds(60) };
        _table.Put("used", "1", options);
        _table.Put("touched", "1", options);
        _table.Put("idle", "1", options);
        for (int i = 0; i < 6; i++)
        {
            _time.Advance(TimeSpan.FromSeconds(9));
            Assert.Equal("1", _table.Get("used"));
            Assert.True(_table.Touch("touched"));
            Assert.Equal(i == 0, _table.TryGetEntry("idle", out _));
        }
        _time.Advance(TimeSpan.FromSeconds(6)); // 60 in all
        Assert.False(_table.ContainsKey("used"));
        Assert.False(_table.Touch("touched"));
    }

    [Fact]
    public void A_look_at_an_entry_is_no_use()
    {
        _table.Put("a", "1", new EntryOptions { Sliding = TimeSpan.FromSeconds(10) });
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal(_time.GetUtcNow().AddSeconds(1), entry.ExpiresAt);
        Assert.Equal(TimeSpan.FromSeconds(10), entry.Sliding);
        Assert.Equal(TimeSpan.FromSeconds(9), entry.Age);
        Assert.Single(_table.Keys);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(_table.ContainsKey("a"));
    }

    [Fact]
    public void The_tables_defaults_hold_for_entries_without_options_and_can_be_changed()
    {
        _table.Configure(TestCache.Durable() with { DefaultMaxAge = TimeSpan.FromSeconds(1) });
        _table.Put("short", "1");
        _table.Put("long", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(100) });
        _table.Configure(TestCache.Durable());
        _table.Put("ever", "1");
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["ever", "long"], _table.Keys.Order());
    }

    [Fact]
    public void A_value_that_is_too_old_is_not_given_out()
    {
        _table.Put("a", "1");
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal("1", _table.Get("a", TimeSpan.FromSeconds(10)));
        Assert.False(_table.TryGet("a", TimeSpan.FromMilliseconds(9_999), out _));
        Assert.Throws<KeyNotFoundException>(() => _table.Get("a", TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => _table.TryGet("a", TimeSpan.FromTicks(-1), out _));
        Assert.True(_table.ContainsKey("a"));
    }

    [Fact]
    public void Touch_with_options_makes_an_entry_young_again()
    {
        _table.Put("a", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(10) });
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.True(_table.Touch("a", new EntryOptions { MaxAge = TimeSpan.FromSeconds(10) }));
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.Equal("1", _table.Get("a", TimeSpan.FromSeconds(9)));
        Assert.False(_table.Touch("b", new EntryOptions()));
    }

    [Fact]
    public void What_the_options_of_a_touch_leave_out_stays()
    {
        _table.Put("a", "1", new EntryOptions
        {
            MaxAge = TimeSpan.FromSeconds(10), Sliding = TimeSpan.FromSeconds(4), Priority = EntryPriority.High, Tags = ["x", "y"],
        });
        EntryAttributes put = Peek("a");
        Assert.True(_table.Touch("a", new EntryOptions { MaxAge = TimeSpan.FromSeconds(20) }));
        Assert.Equal((EntryPriority.High, put.Sliding), (Peek("a").Priority, Peek("a").Sliding));
        Assert.Equal(put.TagHashes.ToArray(), Peek("a").TagHashes.ToArray());
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(_table.Touch("a", new EntryOptions { Priority = EntryPriority.Low }));
        Assert.Equal(TimeSpan.FromSeconds(20), Peek("a").EndsAt - _time.GetUtcNow());
        Assert.True(_table.Touch("a", new EntryOptions { Tags = ["z"] }));
        Assert.Equal(EntryPriority.Low, Peek("a").Priority);
        _table.RemoveByTag("x");
        Assert.Equal("1", _table.Get("a"));
        _table.RemoveByTag("z");
        Assert.False(_table.ContainsKey("a"));
    }

    private EntryAttributes Peek(string key)
    {
        Assert.True(_table.ByUtf8().TryPeek(Encoding.UTF8.GetBytes(key), out StoredEntry entry));
        return entry.Attributes;
    }

    [Fact]
    public void Times_that_are_not_above_zero_are_refused()
    {
        foreach (TimeSpan time in new[] { TimeSpan.Zero, TimeSpan.FromTicks(-1) })
        {
            Assert.Throws<ArgumentOutOfRangeException>("MaxAge", () => _table.Put("a", "1", new EntryOptions { MaxAge = time }));
            Assert.Throws<ArgumentOutOfRangeException>("Sliding", () => _table.Put("a", "1", new EntryOptions { Sliding = time }));
        }
        Assert.Equal(0, _table.Count);
        _table.Put("a", "1", new EntryOptions { MaxAge = TimeSpan.MaxValue, Sliding = TimeSpan.MaxValue });
        Assert.True(_table.ContainsKey("a"));
    }

    [Fact]
    public void A_sweep_gives_the_memory_back_some_at_a_time()
    {
        for (int i = 0; i < 20_000; i++)
            _table.Put($"key{i}", "value", new EntryOptions { MaxAge = TimeSpan.FromSeconds(i % 2 == 0 ? 1 : 1000) });
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(20_000, _cache.Pile.Statistics.ObjectCount);
        int first = _table.Core.Sweep.Memory(16);
        Assert.InRange(first, 1, 16 * 4 * 7);
        Assert.Equal(20_000 - first, _cache.Pile.Statistics.ObjectCount);
        _table.Sweep();
        Assert.Equal(10_000, _cache.Pile.Statistics.ObjectCount);
        Assert.Equal((10_000, 10_000), (_table.Count, _table.Statistics.Expirations));
        Assert.Equal(0, _table.Sweep());
    }

    [Fact]
    public void The_cache_sweeps_by_itself()
    {
        using PileCache cache = TestCache.Make(_time, sweepPeriod: TimeSpan.FromSeconds(1));
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < 1000; key++)
            table.PutBytes(key, new byte[50], new EntryOptions { MaxAge = TimeSpan.FromSeconds(5) }, out _);
        _time.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(1000, table.Count);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((0, 0), (table.Count, cache.Pile.Statistics.ObjectCount));
    }

    [Fact]
    public void What_a_read_found_expired_is_cleared_away_though_no_sweep_comes_by()
    {
        _table.Put("a", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(_table.TryGet("a", out _));
        _table.Core.Touch.Drain(); // as each sweep by period does
        Assert.Equal((0, 0), (_table.Count, _cache.Pile.Statistics.ObjectCount));
        Assert.Equal(PutResult.Inserted, _table.Put("a", "2"));
    }

    [Fact]
    public void A_put_over_an_expired_entry_is_an_insert()
    {
        _table.Put("a", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(PutResult.Inserted, _table.Put("a", "2"));
        Assert.Equal((1, 1, "2"), (_table.Count, _cache.Pile.Statistics.ObjectCount, _table.Get("a")));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_random_run_with_time_agrees_with_a_model(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        var model = new Dictionary<string, (string Value, DateTimeOffset End, TimeSpan? Sliding, DateTimeOffset Last)>();
        for (int step = 0; step < TestLeg.Steps(40_000, 2_000_000); step++)
        {
            if (step % 100 == 0)
                _table.Core.CheckInvariantsAt($"seed {seed}, step {step}");
            string key = $"k{random.Next(300)}";
            DateTimeOffset now = _time.GetUtcNow();
            bool isThere = model.TryGetValue(key, out var entry) && entry.End > now
                && (entry.Sliding == null || entry.Last + entry.Sliding > now);
            if (!isThere && entry.Sliding != null && entry.End > now && entry.Last + entry.Sliding * 17 / 16 > now)
                continue; // a renewal that was written ahead may keep it so long
            switch (random.Next(10))
            {
                case < 4:
                    TimeSpan? age = random.Next(2) == 0 ? TimeSpan.FromMilliseconds(random.Next(1, 2000)) : null;
                    TimeSpan? sliding = random.Next(3) == 0 ? TimeSpan.FromMilliseconds(random.Next(1, 500)) : null;
                    PutResult result = _table.Put(key, $"v{step}", new EntryOptions { MaxAge = age, Sliding = sliding });
                    Assert.True(result == (isThere ? PutResult.Replaced : PutResult.Inserted), $"seed {seed}, step {step}: {result}");
                    model[key] = ($"v{step}", age == null ? DateTimeOffset.MaxValue : now + age.Value, sliding, now);
                    break;
                case < 8:
                    Assert.True(_table.TryGet(key, out string? value) == isThere
                        && (!isThere || value == entry.Value), $"seed {seed}, step {step}");
                    if (isThere)
                        model[key] = entry with { Last = now };
                    break;
                case 8:
                    Assert.True(_table.Remove(key) == isThere, $"seed {seed}, step {step}");
                    model.Remove(key);
                    break;
                default:
                    _time.Advance(TimeSpan.FromMilliseconds(random.Next(20)));
                    if (random.Next(20) == 0)
                        _table.Sweep();
                    break;
            }
        }
        DateTimeOffset end = _time.GetUtcNow();
        _table.Sweep();
        string[] keys = [.. _table.Keys];
        Assert.Empty(Live(1).Except(keys));
        Assert.Empty(keys.Except(Live(17.0 / 16)));
        Assert.Equal(keys.Length, _table.Count);
        Assert.Equal(keys.Length, _cache.Pile.Statistics.ObjectCount);

        IEnumerable<string> Live(double lives) => model.Where(pair => pair.Value.End > end && (pair.Value.Sliding is not { } sliding
            || pair.Value.Last + sliding * lives > end)).Select(static pair => pair.Key);
    }
}
