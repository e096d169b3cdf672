using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>How long values stay in each level.</summary>
public sealed class HybridExpiryTests : HybridCacheTest
{
    [Fact]
    public async Task A_value_is_gone_after_its_time()
    {
        var options = new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(2) };
        await GetAsync(Cache, "k", 1, options);
        Time.Advance(TimeSpan.FromMinutes(2) - TimeSpan.FromMilliseconds(1));
        Assert.Equal(1, await GetAsync(Cache, "k", 2, options));
        Time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(3, await GetAsync(Cache, "k", 3, options));
    }

    [Theory]
    [InlineData(1, 9)]
    [InlineData(9, 1)]
    public async Task In_one_level_the_shorter_time_counts(int total, int local)
    {
        await GetAsync(
            Cache, "k", 1, new() { Expiration = TimeSpan.FromMinutes(total), LocalCacheExpiration = TimeSpan.FromMinutes(local) });
        Time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(1, await PeekAsync<int>(Cache, "k"));
        Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, await PeekAsync<int>(Cache, "k"));
    }

    [Fact]
    public async Task Defaults_count_where_a_call_says_nothing()
    {
        await GetAsync(Cache, "k", 1);
        Time.Advance(TimeSpan.FromMinutes(4));
        Assert.Equal(1, await PeekAsync<int>(Cache, "k"));
        Time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(0, await PeekAsync<int>(Cache, "k"));

        PileHybridCache cache = Make(options: new() { DefaultEntryOptions = new() { Expiration = TimeSpan.FromHours(1) } });
        await GetAsync(cache, "k", 1);
        await GetAsync(cache, "short", 1, new() { Expiration = TimeSpan.FromMinutes(1) });
        Time.Advance(TimeSpan.FromMinutes(59));
        Assert.Equal(1, await PeekAsync<int>(cache, "k"));
        Assert.Equal(0, await PeekAsync<int>(cache, "short"));
    }

    [Fact]
    public async Task A_value_comes_back_from_the_second_level_for_what_is_left_of_its_total_time()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        var options = new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(10), LocalCacheExpiration = TimeSpan.FromMinutes(4) };
        await GetAsync(cache, "k", 1, options);
        Assert.Equal(TimeSpan.FromMinutes(10), second.LastExpiration);
        Assert.Equal(["get k", "set k"], second.TakeAsked());
        Time.Advance(TimeSpan.FromMinutes(4));
        Assert.Equal(1, await GetAsync(cache, "k", 2, options)); // gone here, found there
        Assert.Equal(["get k"], second.TakeAsked());
        Time.Advance(TimeSpan.FromMinutes(4));
        Assert.Equal(1, await GetAsync(cache, "k", 3, options));
        Assert.Equal(["get k"], second.TakeAsked());
        Time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(1, await GetAsync(cache, "k", 4, options));
        Assert.Empty(second.TakeAsked());
        Time.Advance(TimeSpan.FromMinutes(1)); // ten in all, though the local time would go on
        Assert.Equal(5, await GetAsync(cache, "k", 5, options));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public async Task Times_that_are_not_positive_are_refused(int minutes)
    {
        TimeSpan time = TimeSpan.FromMinutes(minutes);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            "Expiration", async () => await GetAsync(Cache, "k", 1, new() { Expiration = time }));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            "LocalCacheExpiration", async () => await Cache.SetAsync("k", 1, new() { LocalCacheExpiration = time }));
    }
}
