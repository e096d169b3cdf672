using System;
using BigPile.Caching.Clocks;

namespace BigPile.Caching.Tests.Sliding;

/// <summary>A clock that is set forth or back: what it does to uses of sliding entries, and to what tells the time at less cost.</summary>
public sealed class SlidingStepTests
{
    private static readonly TimeSpan Far = TimeSpan.FromDays(1100);
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    /// <summary>What the system's ticks tell is enough for an entry with seconds to live, and never before the exact time.</summary>
    [Fact]
    public void What_costs_less_than_the_time_is_not_before_it()
    {
        var clock = new CacheClock(TimeProvider.System, Guid.NewGuid());
        for (int i = 0; i < 100_000; i++)
        {
            if (i % 10_000 == 0)
                clock.Follow();
            long before = clock.Now;
            long most = clock.NowAtMost;
            Assert.InRange(most, before, clock.Now + 2 * TimeSpan.TicksPerSecond);
        }
        var steps = new SteppingTime();
        var other = new CacheClock(steps, Guid.NewGuid());
        steps.Pass(Minute);
        Assert.Equal(other.Now, other.NowAtMost);
    }

    /// <summary>A clock that is all there is goes back: what is over stays so, and what was just used does not end by that.</summary>
    [Theory]
    [InlineData(true, 0.5)]
    [InlineData(true, 0.9)]
    [InlineData(true, 1.1)]
    [InlineData(true, 25 * 60.0)]
    [InlineData(false, 0.5)]
    [InlineData(false, 25 * 60.0)]
    public void Where_only_the_clock_is_known_its_way_back_brings_nothing_back(bool slides, double seconds)
    {
        var time = new SteppingTime { HasStamps = false };
        using PileCache cache = Make(time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        time.Pass(Minute);
        table.Put("ended", "1", slides ? new EntryOptions { Sliding = Hour / 2 } : new EntryOptions { MaxAge = Hour / 2 });
        time.Pass(Hour / 2);
        Assert.False(table.ContainsKey("ended"));
        table.Put("used", "1", new EntryOptions { Sliding = TimeSpan.FromMilliseconds(50) });
        Assert.True(table.ContainsKey("used"));
        time.Step(TimeSpan.FromSeconds(-seconds));
        Assert.Equal((false, true), (table.ContainsKey("ended"), table.ContainsKey("used")));
        time.Pass(TimeSpan.FromMilliseconds(1));
        time.Step(TimeSpan.FromSeconds(-0.2));
        Assert.Equal((false, true), (table.ContainsKey("ended"), table.ContainsKey("used")));
        table.Sweep();
        Assert.Equal((false, true), (table.ContainsKey("ended"), table.ContainsKey("used")));
        time.Pass(TimeSpan.FromSeconds(2));
        Assert.False(table.ContainsKey("used"));
    }

    /// <summary>The expiry of a sliding entry says when it was used last, and so whether that was before a step.</summary>
    [Fact]
    public void A_sliding_entry_lives_as_long_behind_a_step_as_without_one()
    {
        var time = new SteppingTime();
        using PileCache cache = Make(time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        foreach (string key in (string[])["noted", "written", "unused"])
            table.Put(key, "1", new EntryOptions { Sliding = Hour });
        time.Pass(Hour / 2);
        Assert.True(table.ContainsKey("written"));
        table.Sweep();
        time.Pass(Hour / 4);
        Assert.True(table.ContainsKey("noted"));
        time.Step(Far);
        table.Put("until", "1", new EntryOptions { ExpiresAt = time.GetUtcNow() + Hour }); // has the cache see the step
        table.Put("put", "1", new EntryOptions { Sliding = Hour });
        AssertLives("noted", Hour, table, time);
        AssertLives("written", Hour * 3 / 4 + Hour / 16, table, time);
        AssertLives("unused", Hour / 4, table, time);
        AssertLives("put", Hour, table, time);
        time.Pass(Hour / 2);
        Assert.Equal((true, true, false, true), (
            table.ContainsKey("noted"), table.TryGetEntry("written", out _), table.ContainsKey("unused"), table.ContainsKey("put")));
    }

    [Theory]
    [InlineData(5)]
    [InlineData(-5)]
    public void A_sliding_entry_with_an_end_is_renewed_behind_a_step_until_its_end(int minutes)
    {
        var time = new SteppingTime();
        using PileCache cache = Make(time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.Put("used", "1", new EntryOptions { Sliding = Minute, MaxAge = 4 * Minute });
        time.Step(minutes * Minute);
        table.Put("until", "1", new EntryOptions { ExpiresAt = time.GetUtcNow() + Hour }); // has the cache see the step
        for (int half = 1; half <= 9; half++)
        {
            time.Pass(Minute / 2);
            Assert.Equal((half, half < 8), (half, table.ContainsKey("used")));
            table.Sweep();
        }
    }

    /// <summary>As the time service does it. The cache's time goes slower for a while, and never back.</summary>
    [Fact]
    public void What_is_over_stays_so_when_the_clock_is_set_back_a_little()
    {
        var time = new SteppingTime();
        using PileCache cache = Make(time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.Put("sliding", "1", new EntryOptions { Sliding = Minute });
        table.Put("age", "1", new EntryOptions { MaxAge = Minute });
        time.Pass(Minute + TimeSpan.FromSeconds(0.1));
        Assert.Equal((false, false), (table.ContainsKey("sliding"), table.ContainsKey("age")));
        time.Step(TimeSpan.FromSeconds(-0.9));
        table.Put("until", "1", new EntryOptions { ExpiresAt = time.GetUtcNow() + Hour }); // has the cache see it
        Assert.Equal((false, false), (table.ContainsKey("sliding"), table.ContainsKey("age")));
        time.Pass(Minute);
        Assert.Equal((false, false), (table.ContainsKey("sliding"), table.ContainsKey("age")));
    }

    private static void AssertLives(string key, TimeSpan left, CacheTable<string, string> table, SteppingTime time)
    {
        Assert.True(table.TryGetEntry(key, out TableEntry<string> entry), key);
        Assert.Equal((key, time.GetUtcNow() + left), (key, entry.ExpiresAt));
    }

    private static PileCache Make(TimeProvider time)
    {
        var pile = new Pile(new PileOptions { SegmentBytes = 16 << 20 });
        return new PileCache(pile, new PileCacheOptions { OwnsPile = true, TimeProvider = time, SweepPeriod = TimeSpan.Zero });
    }
}
