using System;
using System.IO;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What the options of a call, and those that its factory sets, decide, and what they do not.</summary>
public sealed class FactoryOptionsTests : FailSafeTest
{
    [Fact]
    public void A_factory_that_shortens_a_life_shortens_this_one_only()
    {
        Table.Configure(Table.Options with { DefaultMaxAge = 5 * Life });
        var options = new EntryOptions { MaxAge = 10 * Life };
        foreach (EntryOptions? call in new[] { null, options })
        {
            _ = Table.GetOrAdd("a", (_, context) =>
            {
                context.Options = new EntryOptions { MaxAge = Life };
                return "made";
            }, call);
            Time.Advance(Life - Tick);
            Assert.Equal("made", Table.Get("a"));
            Time.Advance(Tick);
            Assert.False(Table.ContainsKey("a"));
        }
        Assert.Equal((5 * Life, 10 * Life), (LifetimeOf("b", null), LifetimeOf("c", options)));

        TimeSpan? LifetimeOf(string key, EntryOptions? call)
        {
            _ = Table.GetOrAdd(key, _ => "made", call);
            return Table.TryGetEntry(key, out TableEntry<string> entry) ? entry.Info.Lifetime : null;
        }
    }

    [Fact]
    public async Task What_a_factory_sets_after_its_callers_have_left_holds()
    {
        var soft = TimeSpan.FromSeconds(1);
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        var go = new TaskCompletionSource();
        int timers = Time.TimerCount;
        Task<string> call = Table.GetOrAddAsync("a", async (_, context, _) =>
        {
            await go.Task;
            context.Options = new EntryOptions { MaxAge = 5 * Life, FailSafeMaxAge = TimeSpan.Zero };
            return "new";
        }, Kept with { FactorySoftTimeout = soft }).AsTask();
        await Eventually.TrueAsync(() => Time.TimerCount > timers);
        Time.Advance(soft);
        Assert.Equal("old", await call);
        go.SetResult();
        await Eventually.TrueAsync(() => Table.ContainsKey("a") && !Table.Core.Flights.IsAny);
        Time.Advance(5 * Life - Tick);
        Assert.Equal("new", Table.Get("a"));
        Time.Advance(Tick);
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, Kept));
    }

    [Fact]
    public void A_value_that_is_not_kept_leaves_the_stale_one_where_it_is()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        Assert.Equal("for once", Table.GetOrAdd("a", (_, context) =>
        {
            context.IsKept = false;
            return "for once";
        }, Kept));
        Assert.False(Table.ContainsKey("a"));
        Assert.Equal("old", Table.GetOrAdd("a", Throw, Kept));
        Assert.Equal("new", Table.GetOrAdd("a", _ => "new", Kept));
        Assert.Equal("new", Table.Get("a"));
    }

    [Fact]
    public void Whether_there_is_a_stale_value_is_decided_by_its_own_put_and_not_by_a_later_call()
    {
        EntryOptions without = Kept with { FailSafeMaxAge = TimeSpan.Zero };
        Table.Put("a", "old", Kept);
        Table.Put("b", "old", without);
        Time.Advance(Life);
        Assert.Equal("old", Table.GetOrAdd("a", Throw, without));
        Assert.Equal("old", Table.GetOrAdd("a", (_, context) => context.Fail("none"), without));
        Assert.Throws<IOException>(() => Table.GetOrAdd("b", Throw, Kept));
        Assert.Throws<FactoryFailedException>(() => Table.GetOrAdd("b", (_, context) => context.Fail("none"), Kept));
    }

    [Fact]
    public void Nor_by_a_factory_that_fails_unless_it_removes_the_key()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        Assert.Equal("old", Table.GetOrAdd("a", (_, context) =>
        {
            context.Options = Kept with { FailSafeMaxAge = TimeSpan.Zero };
            throw new IOException();
        }, Kept));
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", (key, _) =>
        {
            Table.Remove(key);
            throw new IOException();
        }, Kept));
    }

    [Fact]
    public void A_source_is_asked_whether_a_value_has_changed_by_the_version_in_the_value()
    {
        CacheTable<string, Answer> answers = Cache.GetOrCreateTable<string, Answer>("answers");
        var source = new Answer("one", 1);
        (int whole, int conditional, int unchanged) = (0, 0, 0);
        Answer Get() => answers.GetOrAdd("a", (_, context) =>
        {
            conditional += context.HasStale ? 1 : 0;
            if (context.HasStale && context.Stale.Version == source.Version)
            {
                unchanged++;
                return context.NotModified();
            }
            whole++;
            return source;
        }, Kept);
        Assert.Equal(("one", "one"), (Get().Text, Get().Text));
        for (int i = 0; i < 2; i++)
        {
            Time.Advance(Life);
            Assert.Equal("one", Get().Text);
        }
        source = new Answer("two", 2);
        Time.Advance(Life - Tick);
        Assert.Equal("one", Get().Text);
        Time.Advance(Tick);
        Assert.Equal("two", Get().Text);
        Assert.Equal((2, 3, 2), (whole, conditional, unchanged));
    }

    private sealed record Answer(string Text, int Version);
}
