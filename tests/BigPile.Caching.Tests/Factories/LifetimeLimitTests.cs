using System;
using System.IO;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Lifetimes at the ends of their range, and together with fail-safe times.</summary>
public sealed class LifetimeLimitTests : FailSafeTest
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(TimeSpan.TicksPerMillisecond)]
    public void The_longest_times_there_are_are_the_longest_lives(long less)
    {
        TimeSpan longest = TimeSpan.MaxValue - new TimeSpan(less);
        EntryOptions options = new() { MaxAge = longest, MaxAgeJitter = TimeSpan.FromMinutes(10) };
        Table.Put("a", "old", options);
        Table.Put("b", "old", options with { FailSafeMaxAge = longest, MaxAgeJitter = longest, Sliding = longest });
        Table.Put("c", "old", options with { ExpiresAt = DateTimeOffset.MaxValue, FailSafeMaxAge = longest });
        Table.Put("d", "old", new EntryOptions { MaxAge = Life, FailSafeMaxAge = longest });
        Time.Advance(TimeSpan.FromDays(50 * 365));
        Table.Sweep();
        Assert.Equal(("old", "old", "old"), (Table.Get("a"), Table.Get("b"), Table.Get("c")));
        Assert.False(Table.ContainsKey("d"));
        Assert.Equal("old", Table.GetOrAdd("d", Throw, Kept));
        Table.Core.CheckInvariants();
    }

    [Fact]
    public void A_fail_safe_time_below_the_life_shortens_nothing_and_begins_behind_it()
    {
        EntryOptions options = Kept with { FailSafeMaxAge = Life / 5 };
        Table.Put("a", "old", options);
        Time.Advance(Life - Tick);
        Assert.Equal("old", Table.Get("a"));
        Time.Advance(Life / 5);
        Assert.False(Table.ContainsKey("a"));
        Assert.Equal("old", Table.GetOrAdd("a", Throw, options));
        Time.Advance(Tick);
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, options));
    }

    [Fact]
    public void A_stale_value_that_is_given_again_and_again_lives_no_longer()
    {
        EntryOptions options = Kept with { FailSafeMaxAge = 5 * Life, FailSafeThrottle = Life / 2 };
        Table.Put("a", "old", options);
        Time.Advance(Life);
        for (TimeSpan behind = TimeSpan.Zero; behind < 5 * Life; behind += Life / 4)
        {
            Assert.Equal("old", Table.GetOrAdd("a", Throw, options));
            Time.Advance(Life / 4);
        }
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, options));
    }

    [Fact]
    public void To_other_reads_a_stale_value_is_missing_within_the_throttle_and_behind_it()
    {
        EntryOptions options = Kept with { FailSafeThrottle = Life / 2 };
        Table.Put("a", "old", options);
        Time.Advance(Life);
        for (int i = 0; i < 5; i++)
        {
            Assert.False(Table.TryGet("a", out _));
            Assert.Equal("old", Table.GetOrAdd("a", Throw, options));
            Time.Advance(Life / 8);
        }
        Assert.False(Table.TryGet("a", out _));
    }

    [Fact]
    public void Jitter_lengthens_neither_a_failure_nor_its_throttle()
    {
        EntryOptions options = Kept with { MaxAgeJitter = 30 * Life };
        Assert.Throws<FactoryFailedException>(() => Table.GetOrAdd("a", (_, context) => context.Fail("none"), options));
        Assert.Equal("1", Table.GetOrAdd("a", _ => "1", options));
        Time.Advance(31 * Life);
        Assert.Equal("1", Table.GetOrAdd("a", (_, context) => context.Fail("none"), options));
        Assert.Equal("2", Table.GetOrAdd("a", _ => "2", options));
    }
}
