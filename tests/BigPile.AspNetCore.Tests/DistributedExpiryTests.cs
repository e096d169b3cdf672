using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.AspNetCore.Tests;

/// <summary>Times: which are refused, and when an entry is gone.</summary>
public sealed class DistributedExpiryTests : DistributedCacheTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_absolute_time_that_is_past_is_refused(bool isAsync)
    {
        var options = new DistributedCacheEntryOptions { AbsoluteExpiration = Time.GetUtcNow() - TimeSpan.FromMinutes(1) };
        ArgumentOutOfRangeException error = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            nameof(DistributedCacheEntryOptions.AbsoluteExpiration), () => CallsOf(isAsync).SetAsync("k", [1], options));
        Assert.StartsWith("The absolute expiration value must be in the future.", error.Message, StringComparison.Ordinal);
        Assert.Equal(options.AbsoluteExpiration, error.ActualValue);
        Assert.Null(Cache.Get("k"));
    }

    [Theory]
    [InlineData(false, -1)]
    [InlineData(false, 0)]
    [InlineData(true, -1)]
    [InlineData(true, 0)]
    public async Task A_relative_time_that_is_not_positive_is_refused(bool isAsync, int minutes)
    {
        ArgumentOutOfRangeException error = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            nameof(DistributedCacheEntryOptions.AbsoluteExpirationRelativeToNow),
            () => CallsOf(isAsync).SetAsync("k", [1], new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(minutes) }));
        Assert.StartsWith("The relative expiration value must be positive.", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false, -1)]
    [InlineData(false, 0)]
    [InlineData(true, -1)]
    [InlineData(true, 0)]
    public async Task A_sliding_time_that_is_not_positive_is_refused(bool isAsync, int minutes)
    {
        ArgumentOutOfRangeException error = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            nameof(DistributedCacheEntryOptions.SlidingExpiration),
            () => CallsOf(isAsync).SetAsync("k", [1], new() { SlidingExpiration = TimeSpan.FromMinutes(minutes) }));
        Assert.StartsWith("The sliding expiration value must be positive.", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_entry_is_gone_at_its_absolute_time(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1], new() { AbsoluteExpiration = Time.GetUtcNow() + TimeSpan.FromSeconds(1) });
        Time.Advance(TimeSpan.FromMilliseconds(999));
        Assert.NotNull(await calls.GetAsync("k"));
        Time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Null(await calls.GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_entry_is_gone_after_its_relative_time_below_a_second_too(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1], new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(250) });
        Time.Advance(TimeSpan.FromMilliseconds(249));
        Assert.NotNull(await calls.GetAsync("k"));
        Time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Null(await calls.GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_sliding_entry_that_nobody_uses_is_gone(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1], new() { SlidingExpiration = TimeSpan.FromSeconds(10) });
        Assert.NotNull(await calls.GetAsync("k"));
        Time.Advance(TimeSpan.FromSeconds(10));
        Assert.Null(await calls.GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_sliding_entry_lives_by_each_use(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1], new() { SlidingExpiration = TimeSpan.FromSeconds(10) });
        for (int i = 0; i < 5; i++)
        {
            Time.Advance(TimeSpan.FromSeconds(8));
            Assert.NotNull(await calls.GetAsync("k"));
            Time.Advance(TimeSpan.FromSeconds(8));
            await calls.RefreshAsync("k");
        }
        Time.Advance(TimeSpan.FromSeconds(10));
        Assert.Null(await calls.GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_sliding_entry_lives_by_its_uses_until_its_absolute_time(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1], new()
        {
            SlidingExpiration = TimeSpan.FromSeconds(10),
            AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(30),
        });
        for (int second = 6; second < 30; second += 6)
        {
            Time.Advance(TimeSpan.FromSeconds(6));
            Assert.NotNull(await calls.GetAsync("k"));
        }
        Time.Advance(TimeSpan.FromSeconds(6));
        Assert.Null(await calls.GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_absolute_times_the_relative_one_counts(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1], new()
        {
            AbsoluteExpiration = Time.GetUtcNow() + TimeSpan.FromSeconds(1),
            AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(1),
        });
        Time.Advance(TimeSpan.FromSeconds(59));
        Assert.NotNull(await calls.GetAsync("k"));
        Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Null(await calls.GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Without_a_time_an_entry_stays(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1]);
        Time.Advance(TimeSpan.FromDays(10_000));
        Assert.NotNull(await calls.GetAsync("k"));
    }
}
