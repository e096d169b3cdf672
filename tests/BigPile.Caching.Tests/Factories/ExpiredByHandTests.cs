using System.IO;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Entries that end at once by a touch, and stay as stale ones.</summary>
public sealed class ExpiredByHandTests : FailSafeTest
{
    private bool Expire(string key) => Table.Touch(key, new EntryOptions { ExpiresAt = Time.GetUtcNow() });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Such_an_entry_is_missing_and_its_value_is_given_where_the_factory_fails(bool isSliding)
    {
        EntryOptions options = isSliding ? Kept with { Sliding = Life / 2 } : Kept;
        Table.Put("a", "old", options with { Tags = ["tag"] });
        Assert.Equal("old", Table.Get("a"));
        Assert.True(Expire("a"));
        Assert.False(Table.TryGet("a", out _));
        Assert.False(Expire("a"));
        MadeValue<string> made = Table.GetOrAddEntry("a", Throw, options);
        Assert.Equal(("old", ValueOrigin.Stale), (made.Value, made.Origin));
        Time.Advance(FailSafe - Tick);
        Assert.Equal("old", Table.GetOrAdd("a", Throw, options));
        Table.RemoveByTag("tag");
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, options));
    }

    [Fact]
    public void A_factory_that_succeeds_replaces_it()
    {
        Table.Put("a", "old", Kept);
        Assert.True(Expire("a"));
        Assert.Equal("old and new", Table.GetOrAdd("a", (_, context) => $"{context.Stale} and new", Kept));
        Assert.Equal("old and new", Table.Get("a"));
    }

    [Fact]
    public void Without_fail_safe_it_is_gone()
    {
        Table.Put("a", "old", new EntryOptions { MaxAge = Life });
        Assert.True(Expire("a"));
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, Kept));
        Table.Sweep();
        Assert.Equal((0, 1), (Table.Count, Table.Statistics.Expirations));
    }

    [Fact]
    public void An_entry_without_an_end_stays_where_the_touch_says_how_long()
    {
        Table.Put("a", "old");
        Assert.True(Table.Touch("a", new EntryOptions { ExpiresAt = Time.GetUtcNow(), FailSafeMaxAge = FailSafe }));
        Assert.False(Table.ContainsKey("a"));
        Assert.Equal("old", Table.GetOrAdd("a", Throw, Kept));
    }
}
