using System;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>A value that its factory finds unchanged lives on as if it had been put again.</summary>
public sealed class NotModifiedTests : FailSafeTest
{
    private TimeSpan? LifetimeOf(string key)
    {
        Assert.True(Table.TryGetEntry(key, out TableEntry<string> entry));
        return entry.Info.Lifetime;
    }

    [Fact]
    public void Its_lifetime_is_the_tables_whatever_a_touch_left_of_the_former_one()
    {
        Table.Configure(Table.Options with { DefaultMaxAge = Life, DefaultFailSafeMaxAge = FailSafe });
        Table.Put("a", "old");
        Table.Touch("a", new EntryOptions { ExpiresAt = Time.GetUtcNow() });
        Assert.Equal("old", Table.GetOrAdd("a", static (_, context) => context.NotModified()));
        Assert.Equal(Life, LifetimeOf("a"));
    }

    [Fact]
    public void So_it_is_after_a_put_that_kept_the_end_of_another_one()
    {
        Table.Put("a", "older", Kept);
        Time.Advance(Life - TimeSpan.FromSeconds(1));
        Table.Put("a", "old", Kept with { KeepsLifetime = true });
        Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal("old", Table.GetOrAdd("a", static (_, context) => context.NotModified(), Kept));
        Assert.Equal(Life, LifetimeOf("a"));
    }

    [Fact]
    public void Where_nobody_says_a_lifetime_the_former_one_begins_anew()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        Assert.Equal("old", Table.GetOrAdd("a", static (_, context) => context.NotModified()));
        Assert.Equal(Life, LifetimeOf("a"));
        Time.Advance(Life);
        Assert.Equal("old", Table.GetOrAdd("a", Throw)); // the fail-safe time too
    }

    [Fact]
    public void Jitter_spreads_it()
    {
        EntryOptions options = Kept with { MaxAgeJitter = Life };
        string[] keys = [.. Enumerable.Range(0, 20).Select(static number => $"{number}")];
        foreach (string key in keys)
            Table.Put(key, "old", options);
        Time.Advance(2 * Life);
        foreach (string key in keys)
            Table.GetOrAdd(key, static (_, context) => context.NotModified(), options);
        Assert.InRange(keys.Select(LifetimeOf).Distinct().Count(), 10, keys.Length);
    }

    [Fact]
    public void A_null_has_the_lifetime_of_nulls()
    {
        CacheTable<string, string?> table = Cache.GetOrCreateTable<string, string?>("n");
        EntryOptions options = Kept with { MaxAge = 10 * Life, NullMaxAge = Life };
        table.Put("a", null, options);
        Time.Advance(Life);
        Assert.Null(table.GetOrAdd("a", static (_, context) => context.NotModified(), options));
        Assert.True(table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal(Life, entry.Info.Lifetime);
    }

    [Fact]
    public void Its_tags_and_priority_stay()
    {
        Table.Put("a", "old", Kept with { Tags = ["tag"], Priority = EntryPriority.High });
        Time.Advance(Life);
        Table.GetOrAdd("a", static (_, context) => context.NotModified(), Kept);
        Assert.True(Table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal(EntryPriority.High, entry.Priority);
        Table.RemoveByTag("tag");
        Assert.False(Table.ContainsKey("a"));
    }

    [Fact]
    public void An_object_that_was_given_out_as_a_pointer_stays_where_it_is()
    {
        Table.Put("a", "old", Kept);
        Assert.True(Table.TryGetPointer("a", out PilePointer pointer));
        Time.Advance(Life);
        Assert.Equal("old", Table.GetOrAdd("a", static (_, context) => context.NotModified(), Kept));
        Assert.True(Table.TryGetPointer("a", out PilePointer again));
        Assert.Equal(pointer, again);
        Assert.Equal("old", Cache.Pile.Get(pointer));
    }

    [Fact]
    public void Whatever_the_factory_returns_then_its_caller_gets_that_value()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        Assert.Equal("old", Table.GetOrAdd("a", static (_, context) =>
        {
            _ = context.NotModified();
            return "other";
        }, Kept));
        Assert.Equal("old", Table.GetOrAdd("a", Throw));
    }

    /// <summary>The removal comes while the factory runs: after it nobody gets what had the tag.</summary>
    [Fact]
    public void A_removal_by_its_tag_meanwhile_counts()
    {
        Table.Put("a", "old", Kept with { Tags = ["tag"] });
        Time.Advance(Life);
        Assert.Equal("old", Table.GetOrAdd("a", (_, context) =>
        {
            string value = context.NotModified();
            Table.RemoveByTag("tag");
            return value;
        }, Kept));
        Assert.False(Table.ContainsKey("a"));
    }

    /// <summary>They came after the removal.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_joins_such_a_run_has_the_value_made_anew(bool isNotModified)
    {
        Table.Put("a", "old", Kept with { Tags = ["tag"] });
        Time.Advance(Life);
        var release = new TaskCompletionSource();
        Task<string> first = Table.GetOrAddAsync("a", async (_, context, _) =>
        {
            string value = isNotModified ? context.NotModified() : "made before";
            context.Options = Kept with { Tags = ["tag"] };
            await release.Task;
            return value;
        }, Kept).AsTask();
        Table.RemoveByTag("tag");
        Task<string> second = Table.GetOrAddAsync("a", static (_, _) => new ValueTask<string>("new"), Kept).AsTask();
        release.SetResult();
        Assert.Equal(isNotModified ? "old" : "made before", await first);
        Assert.Equal("new", await second.WaitAsync(Eventually.Timeout));
    }

    [Fact]
    public void So_does_a_removal_by_a_tag_that_the_factory_chooses()
    {
        Assert.Equal("old", Table.GetOrAdd("a", (_, context) =>
        {
            Table.RemoveByTag("other");
            Table.RemoveByTag("tag");
            context.Options = Kept with { Tags = ["tag"] };
            return "old";
        }));
        Assert.False(Table.ContainsKey("a"));
        Table.GetOrAdd("a", (_, context) =>
        {
            Table.RemoveByTag("other");
            context.Options = Kept with { Tags = ["tag"] };
            return "new";
        });
        Assert.True(Table.ContainsKey("a"));
    }
}
