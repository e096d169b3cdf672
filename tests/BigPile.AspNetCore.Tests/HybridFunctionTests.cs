using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>What each call of a hybrid cache does.</summary>
public sealed class HybridFunctionTests : HybridCacheTest
{
    [Fact]
    public async Task A_factory_runs_once_while_its_value_is_cached()
    {
        Assert.Equal(42, await GetAsync(Cache, "k", 42));
        Assert.Equal(42, await GetAsync(Cache, "k", 96));
        Assert.Equal(1, Made);
    }

    [Fact]
    public async Task A_removed_key_is_made_again()
    {
        await GetAsync(Cache, "k", 42);
        await Cache.RemoveAsync("k");
        await Cache.RemoveAsync("missing");
        Assert.Equal(96, await GetAsync(Cache, "k", 96));
    }

    [Fact]
    public async Task Removing_no_keys_removes_nothing()
    {
        await GetAsync(Cache, "k", 42);
        await Cache.RemoveAsync([]);
        Assert.Equal(42, await GetAsync(Cache, "k", 96));
    }

    [Fact]
    public async Task Several_keys_are_removed_at_once()
    {
        foreach (string key in new[] { "a", "b", "c" })
            await GetAsync(Cache, key, 42);
        await Cache.RemoveAsync(["a", "c", "missing"]);
        Assert.Equal(96, await GetAsync(Cache, "a", 96));
        Assert.Equal(42, await GetAsync(Cache, "b", 96));
        Assert.Equal(96, await GetAsync(Cache, "c", 96));
    }

    [Fact]
    public async Task A_value_that_is_set_is_got_and_replaces_the_one_before()
    {
        await GetAsync(Cache, "k", "old");
        await Cache.SetAsync("k", "new");
        Assert.Equal("new", await GetAsync(Cache, "k", "other"));
    }

    [Fact]
    public async Task Null_is_a_value()
    {
        Assert.Null(await GetAsync<string?>(Cache, "k", null));
        Assert.Null(await GetAsync<string?>(Cache, "k", "other"));
        Assert.Equal(1, Made);
    }

    [Fact]
    public async Task A_read_without_a_factory_gives_what_is_there()
    {
        Assert.Equal(0, await PeekAsync<int>(Cache, "k"));
        await GetAsync(Cache, "k", 42);
        Assert.Equal(42, await PeekAsync<int>(Cache, "k"));
        Assert.Equal(0, await PeekAsync<int>(Cache, "other"));
        Assert.Equal(7, await GetAsync(Cache, "other", 7)); // the miss was not cached
    }

    [Fact]
    public async Task Flags_keep_a_call_from_the_table()
    {
        await GetAsync(Cache, "k", 1, new() { Flags = HybridCacheEntryFlags.DisableLocalCacheWrite });
        Assert.Equal(2, await GetAsync(Cache, "k", 2));
        Assert.Equal(3, await GetAsync(Cache, "k", 3, new() { Flags = HybridCacheEntryFlags.DisableLocalCacheRead }));
        Assert.Equal(3, await GetAsync(Cache, "k", 4));
        Assert.Equal(5, await GetAsync(Cache, "k", 5, new() { Flags = HybridCacheEntryFlags.DisableLocalCache }));
        Assert.Equal(3, await GetAsync(Cache, "k", 6));
    }

    [Fact]
    public async Task Characters_that_are_no_string_find_the_key()
    {
        await GetAsync(Cache, "k42", "value");
        char[] text = ['x', 'k', '4', '2', 'x'];
        ValueTask<string> Peek() => Cache.GetOrCreateAsync(text.AsSpan(1, 3), 0, static (_, _) => new ValueTask<string>("other"));
        Assert.Equal("value", await Peek());
        Assert.Equal("other", await Cache.GetOrCreateAsync(text.AsSpan(0, 3), 0, static (_, _) => new ValueTask<string>("other")));
        Assert.Equal("other", await PeekAsync<string>(Cache, "xk4"));
    }

    [Fact]
    public async Task Null_arguments_are_named()
    {
        await Assert.ThrowsAsync<ArgumentNullException>("key", async () => await GetAsync(Cache, null!, 1));
        await Assert.ThrowsAsync<ArgumentNullException>(
            "factory", async () => await Cache.GetOrCreateAsync("k", 0, (Func<int, CancellationToken, ValueTask<int>>)null!));
        await Assert.ThrowsAsync<ArgumentNullException>("key", async () => await Cache.SetAsync(null!, 1));
        await Assert.ThrowsAsync<ArgumentNullException>("key", async () => await Cache.RemoveAsync((string)null!));
        await Assert.ThrowsAsync<ArgumentNullException>("tag", async () => await Cache.RemoveByTagAsync((string)null!));
    }

    [Theory]
    [InlineData("")]
    [InlineData("   ")]
    [InlineData(null)]
    public async Task A_blank_key_or_a_very_long_one_is_answered_and_not_cached(string? key)
    {
        key ??= new string('k', 1025);
        Assert.Equal(1, await GetAsync(Cache, key, 1));
        Assert.Equal(2, await GetAsync(Cache, key, 2));
        Assert.Equal(0, await PeekAsync<int>(Cache, key));
        await Cache.SetAsync(key, 3);
        await Cache.RemoveAsync(key);
        Assert.Equal(0, TableOf(Cache).Count);
    }

    [Fact]
    public async Task Keys_with_lone_surrogates_are_told_apart()
    {
        Assert.Equal(1, await GetAsync(Cache, "\ud800", 1));
        Assert.Equal(2, await GetAsync(Cache, "\ud801", 2));
        Assert.Equal(1, await GetAsync(Cache, "\ud800", 3));
    }

    [Fact]
    public async Task A_value_of_another_type_counts_as_missing()
    {
        await GetAsync(Cache, "k", "text");
        Assert.Equal(5, await GetAsync(Cache, "k", 5));
        Assert.Equal("again", await GetAsync(Cache, "k", "again"));
    }

    [Fact]
    public async Task A_failure_of_the_factory_is_the_callers_and_is_not_cached()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await Cache.GetOrCreateAsync<int>("k", static _ => throw new InvalidOperationException("no")));
        Assert.Equal(1, await GetAsync(Cache, "k", 1));
    }

    [Fact]
    public async Task Values_come_back_after_a_restart()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache first = TestCache.Open(directory.Path, Time))
            await new PileHybridCache(first, time: Time).SetAsync("k", new Poco { Number = 7, Text = "seven" }, tags: ["tag"]);
        using (PileCache second = TestCache.Open(directory.Path, Time))
        {
            var cache = new PileHybridCache(second, time: Time);
            Assert.Equal("seven", (await PeekAsync<Poco>(cache, "k")).Text);
            await cache.RemoveByTagAsync("tag");
        }
        using PileCache third = TestCache.Open(directory.Path, Time);
        Assert.Null(await PeekAsync<Poco>(new PileHybridCache(third, time: Time), "k"));
    }
}
