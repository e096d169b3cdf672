using System;
using BigPile.Caching.Clocks;

namespace BigPile.Caching.Tests.Clocks;

/// <summary>A clock that is set forward or back changes ages and expiries only until it is right again.</summary>
public sealed class ClockStepTests : IDisposable
{
    private static readonly TimeSpan Far = TimeSpan.FromDays(1100);
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_step_while_the_tables_are_open_makes_nothing_older_or_younger(bool isForth)
    {
        var time = new SteppingTime();
        using PileCache cache = Make(time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.Put("before", "1", new EntryOptions { MaxAge = Hour });
        TimeSpan step = isForth ? Far : -Far;
        time.Step(step);
        Assert.True(table.TryGet("before", Minute, out _));
        table.Put("meanwhile", "1", new EntryOptions { MaxAge = Hour });
        table.Put("sliding", "1", new EntryOptions { Sliding = Hour });
        DateTimeOffset until = time.GetUtcNow() + Hour;
        table.Put("until", "1", new EntryOptions { ExpiresAt = until });
        Assert.True(table.TryGetEntry("until", out TableEntry<string> entry));
        Assert.Equal(until, entry.ExpiresAt);
        Assert.True(table.TryGet("until", out _, out EntryInfo info));
        Assert.Equal(until, info.ExpiresAt);
        time.Step(-step);
        DateTimeOffset end = time.GetUtcNow() + Hour;
        _ = table.Put("told", "1", new EntryOptions { ExpiresAt = end });
        foreach (string key in new[] { "until", "meanwhile", "sliding", "before", "told" })
        {
            Assert.True(table.TryGet(key, out _, out info));
            Assert.Equal(end, info.ExpiresAt);
            Assert.True(table.TryGetEntry(key, out entry));
            Assert.Equal(end, entry.ExpiresAt);
            Assert.Equal(end, entry.Info.ExpiresAt);
        }
        table.Put("after", "1", new EntryOptions { MaxAge = Hour });
        foreach (string key in new[] { "before", "meanwhile", "after" })
            Assert.True(table.TryGet(key, Minute, out _), key);
        time.Pass(TimeSpan.FromMinutes(30));
        foreach (string key in new[] { "before", "meanwhile", "after" })
            Assert.True(table.TryGet(key, Hour, out _) && !table.TryGet(key, Minute, out _), key);
        Assert.True(table.TryGetEntry("meanwhile", out entry));
        Assert.Equal(TimeSpan.FromMinutes(30), entry.Age);
        Assert.True(table.ContainsKey("sliding"));
        time.Pass(TimeSpan.FromMinutes(31));
        foreach (string key in new[] { "before", "meanwhile", "after", "until" })
            Assert.False(table.ContainsKey(key), key);
        Assert.True(table.ContainsKey("sliding"));
        time.Pass(Hour);
        Assert.False(table.ContainsKey("sliding"));
        table.Sweep();
        table.Sweep();
        Assert.Equal(0, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void Where_only_the_clock_is_known_its_way_back_ends_what_its_way_forth_began()
    {
        var time = new SteppingTime { HasStamps = false };
        using PileCache cache = Make(time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.Put("before", "1");
        table.Put("mortal", "1", new EntryOptions { MaxAge = 2 * Hour });
        table.Put("sliding", "1", new EntryOptions { Sliding = 2 * Far });
        time.Step(Far);
        table.Put("meanwhile", "1", new EntryOptions { MaxAge = Hour });
        Assert.True(table.ContainsKey("sliding"));
        time.Step(-Far);
        table.Put("after", "1");
        foreach (string key in new[] { "before", "mortal", "meanwhile", "after" })
            Assert.True(table.TryGet(key, Minute, out _), key);
        time.Pass(Hour);
        foreach (string key in new[] { "before", "mortal", "after" })
            Assert.True(table.ContainsKey(key) && !table.TryGet(key, Minute, out _), key);
        Assert.False(table.ContainsKey("meanwhile"));
        time.Pass(Hour);
        Assert.False(table.ContainsKey("mortal"));
        time.Pass(2 * Far);
        Assert.False(table.ContainsKey("sliding"));
    }

    [Fact]
    public void One_put_under_a_clock_that_was_ahead_does_not_make_what_is_put_later_young_for_ever()
    {
        var time = new SteppingTime();
        using (PileCache cache = Open(time))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            table.Put("before", "1");
            table.Put("mortal", "1", new EntryOptions { MaxAge = 3 * Hour });
            table.Put("sliding", "1", new EntryOptions { Sliding = 3 * Hour });
        }
        time.Step(Far);
        using (PileCache cache = Open(time))
            cache.GetOrCreateTable<string, string>("t").Put("meanwhile", "1", new EntryOptions { MaxAge = 3 * Hour });
        time.Step(-Far);
        using (PileCache cache = Open(time))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            table.Put("after", "1", new EntryOptions { MaxAge = 3 * Hour });
            time.Pass(Hour);
            foreach (string key in new[] { "before", "mortal", "sliding", "meanwhile", "after" })
                Assert.True(table.TryGet(key, 2 * Hour, out _) && !table.TryGet(key, Minute, out _), key);
        }
        time.Pass(Minute);
        using (PileCache cache = Open(time))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            Assert.False(table.TryGet("after", Minute, out _));
            time.Pass(3 * Hour);
            Assert.True(table.ContainsKey("before"));
            foreach (string key in new[] { "mortal", "meanwhile", "after" })
                Assert.False(table.ContainsKey(key), key);
        }
    }

    [Theory]
    [InlineData(-2 * 60, true)]
    [InlineData(-2 * 60, false)]
    [InlineData(-86_400, true)]
    [InlineData(-86_400, false)]
    [InlineData(-60L * 366 * 86_400, true)]
    [InlineData(-60L * 366 * 86_400, false)]
    [InlineData(-2_020L * 365 * 86_400, true)]
    [InlineData(70L * 365 * 86_400, true)]
    [InlineData(300L * 365 * 86_400, true)]
    [InlineData(300L * 365 * 86_400, false)]
    public void A_clock_that_was_wrong_at_the_start_and_set_right_costs_no_life_at_the_next_start(long wrongSeconds, bool hasStamps)
    {
        var time = new SteppingTime { HasStamps = hasStamps };
        DateTimeOffset until = time.GetUtcNow() + Hour;
        var wrong = TimeSpan.FromSeconds(wrongSeconds);
        string[] keys = ["aged", "until", "sliding", "both"];
        time.Step(wrong);
        using (PileCache cache = Open(time))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            table.Put("early", "1", new EntryOptions { MaxAge = Hour });
            time.Step(-wrong);
            _ = table.Sweep();
            table.Put("both", "1", new EntryOptions { MaxAge = Hour, ExpiresAt = until });
            table.Put("aged", "1", new EntryOptions { MaxAge = Hour });
            table.Put("until", "1", new EntryOptions { ExpiresAt = until });
            table.Put("sliding", "1", new EntryOptions { Sliding = Hour });
            foreach (string key in keys)
                Assert.True(table.TryGet(key, Minute, out _), key);
            Assert.True(!hasStamps || table.TryGet("early", Minute, out _), "what was put before is no older by that");
        }
        for (int i = 0; i < 2; i++)
        {
            using PileCache cache = Open(time);
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            foreach (string key in keys)
                Assert.True(table.TryGet(key, (i * 20 + 1) * Minute, out _), key);
            Assert.True(table.TryGetEntry("until", out TableEntry<string> entry));
            Assert.Equal(until, entry.ExpiresAt);
            Assert.True(table.TryGet("until", out _, out EntryInfo info));
            Assert.Equal(until, info.ExpiresAt);
            time.Pass(20 * Minute);
            Assert.False(table.TryGet("aged", 10 * Minute, out _));
        }
        using (PileCache cache = Open(time))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            Assert.True(table.ContainsKey("aged") && table.ContainsKey("until"));
            time.Pass(21 * Minute);
            Assert.False(table.ContainsKey("aged") || table.ContainsKey("until") || table.ContainsKey("both"));
        }
    }

    [Fact]
    public void A_clock_that_goes_to_and_fro_makes_older_entries_nearer_once()
    {
        var time = new SteppingTime();
        using (PileCache cache = Open(time))
            cache.GetOrCreateTable<string, string>("t").Put("before", "1", new EntryOptions { MaxAge = Hour });
        time.Step(Far);
        using (PileCache cache = Open(time))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            for (int i = 0; i < 3; i++)
            {
                time.Step(-Far);
                table.Put("look", "1", new EntryOptions { ExpiresAt = time.GetUtcNow() + Hour });
                Assert.True(table.ContainsKey("before"));
                time.Step(Far);
                table.Put("look", "1", new EntryOptions { ExpiresAt = time.GetUtcNow() + Hour });
            }
            time.Pass(Hour);
            Assert.False(table.ContainsKey("before"));
        }
    }

    [Fact]
    public void The_cache_s_time_does_not_drift_away_from_the_clock()
    {
        var time = new SteppingTime();
        var clock = new CacheClock(time, Guid.NewGuid());
        for (int i = 0; i < 100; i++)
        {
            time.Pass(Minute);
            time.Step(TimeSpan.FromMilliseconds(i % 3 == 0 ? -40 : 60));
            long before = clock.Now;
            clock.Follow();
            Assert.InRange(clock.Now, before, long.MaxValue);
            time.Pass(TimeSpan.FromMilliseconds(180)); // at half its rate, soon, it has lost what it was ahead
            Assert.InRange(clock.Now - time.GetUtcNow().UtcTicks, -TimeSpan.TicksPerMillisecond, TimeSpan.TicksPerMillisecond);
        }
    }

    private static PileCache Make(SteppingTime time) =>
        new(new Pile(new PileOptions { SegmentBytes = 16 << 20 }), Options(time));

    private PileCache Open(SteppingTime time) => new(Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20 }), Options(time));

    private static PileCacheOptions Options(SteppingTime time) => new()
    {
        OwnsPile = true,
        TimeProvider = time,
        SweepPeriod = TimeSpan.Zero,
        WaitsUntilReady = true,
        DefaultTableOptions = TestCache.AllDurable,
    };
}
