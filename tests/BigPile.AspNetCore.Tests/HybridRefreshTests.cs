using System;
using System.Collections.Concurrent;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>A value is refreshed ahead of its expiry, in the background, from the second level or by the caller's factory.</summary>
public sealed class HybridRefreshTests : HybridCacheTest
{
    private static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(100);
    private static readonly TimeSpan Due = TimeSpan.FromSeconds(80);

    private readonly ConcurrentQueue<TaskCompletionSource<int>> _runs = new();

    private static PileHybridCacheOptions Eager() => new()
    {
        Table = new TableOptions("hybrid-cache") { CollisionMode = CollisionMode.Durable, EagerRefresh = 0.8 },
        DefaultEntryOptions = new HybridCacheEntryOptions { Expiration = Lifetime },
    };

    // A factory that the test completes.
    private ValueTask<int> AskAsync(PileHybridCache cache, HybridCacheEntryOptions? options = null) => cache.GetOrCreateAsync(
        "k",
        _ =>
        {
            var run = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
            _runs.Enqueue(run);
            return new ValueTask<int>(run.Task);
        },
        options);

    private async Task<TaskCompletionSource<int>> RunAsync()
    {
        await Eventually.TrueAsync(() => !_runs.IsEmpty);
        Assert.True(_runs.TryDequeue(out TaskCompletionSource<int>? run));
        return run;
    }

    [Fact]
    public async Task From_its_share_of_the_lifetime_on_the_old_value_is_returned_and_a_new_one_made()
    {
        PileHybridCache cache = Make(options: Eager());
        await cache.SetAsync("k", 1);
        Time.Advance(Due - TimeSpan.FromTicks(TimeSpan.TicksPerMillisecond));
        Assert.Equal(1, await AskAsync(cache));
        Assert.Empty(_runs);
        Time.Advance(TimeSpan.FromTicks(TimeSpan.TicksPerMillisecond));
        Assert.Equal(1, await AskAsync(cache));
        TaskCompletionSource<int> run = await RunAsync();
        Assert.Equal(1, await AskAsync(cache)); // one run
        run.SetResult(2);
        await Eventually.TrueAsync(async () => await PeekAsync<int>(cache, "k") == 2);
        Assert.Empty(_runs);
        Time.Advance(Due - TimeSpan.FromSeconds(1)); // a lifetime of its own
        Assert.Equal(2, await AskAsync(cache));
        Assert.Empty(_runs);
    }

    [Fact]
    public async Task Who_comes_after_the_expiry_waits_for_the_refresh()
    {
        PileHybridCache cache = Make(options: Eager());
        await cache.SetAsync("k", 1);
        Time.Advance(Due);
        await AskAsync(cache);
        TaskCompletionSource<int> run = await RunAsync();
        Time.Advance(Lifetime);
        Task<int> late = AskAsync(cache).AsTask();
        Assert.False(late.IsCompleted);
        run.SetResult(2);
        Assert.Equal(2, await late);
        Assert.Empty(_runs);
    }

    [Fact]
    public async Task A_failed_refresh_is_tried_again_after_the_throttle_and_the_value_stays()
    {
        PileHybridCache cache = Make(options: new PileHybridCacheOptions
        {
            Table = new TableOptions("hybrid-cache") { EagerRefresh = 0.1, FailSafeThrottle = TimeSpan.FromSeconds(7) },
            DefaultEntryOptions = new HybridCacheEntryOptions { Expiration = Lifetime },
        });
        await cache.SetAsync("k", 1);
        Time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(1, await AskAsync(cache));
        (await RunAsync()).SetException(new InvalidOperationException("no"));
        await Eventually.TrueAsync(async () =>
        {
            Time.Advance(TimeSpan.FromSeconds(7)); // the failure may not have been noted yet
            Assert.Equal(1, await AskAsync(cache));
            return !_runs.IsEmpty;
        });
        (await RunAsync()).SetResult(2);
        await Eventually.TrueAsync(async () => await PeekAsync<int>(cache, "k") == 2);
    }

    [Fact]
    public async Task A_removal_meanwhile_keeps_the_refreshed_value_out()
    {
        PileHybridCache cache = Make(options: Eager());
        await cache.SetAsync("k", 1);
        Time.Advance(Due);
        await AskAsync(cache);
        TaskCompletionSource<int> run = await RunAsync();
        await cache.RemoveAsync("k");
        Task<int> next = AskAsync(cache).AsTask();
        TaskCompletionSource<int> nextRun = await RunAsync();
        run.SetResult(2);
        nextRun.SetResult(3);
        Assert.Equal(3, await next);
        Assert.Equal(3, await PeekAsync<int>(cache, "k"));
    }

    [Fact]
    public async Task A_younger_value_of_the_second_level_is_taken_first()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache one = Make(second, Eager());
        PileHybridCache other = Make(second, Eager());
        await one.SetAsync("k", 1);
        Time.Advance(Due);
        await other.SetAsync("k", 2); // by another process, whose value comes by the second level
        second.TakeAsked();
        Assert.Equal(1, await AskAsync(one));
        await Eventually.TrueAsync(async () => await PeekAsync<int>(one, "k") == 2);
        Assert.Equal(["get k"], second.TakeAsked());
        Assert.Empty(_runs);
    }

    [Fact]
    public async Task An_old_value_of_the_second_level_is_no_refresh()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second, Eager());
        await cache.SetAsync("k", 1);
        Time.Advance(Due);
        Assert.Equal(1, await AskAsync(cache));
        (await RunAsync()).SetResult(2);
        await Eventually.TrueAsync(async () => await PeekAsync<int>(cache, "k") == 2);
        await Eventually.TrueAsync(async () => await PeekAsync<int>(Make(second), "k") == 2);
    }

    [Fact]
    public async Task A_call_without_a_factory_or_a_write_refreshes_nothing()
    {
        PileHybridCache cache = Make(options: Eager());
        await cache.SetAsync("k", 1);
        Time.Advance(Due);
        Assert.Equal(1, await PeekAsync<int>(cache, "k"));
        Assert.Equal(1, await AskAsync(cache, new() { Flags = HybridCacheEntryFlags.DisableLocalCacheWrite }));
        Assert.Equal(1, await AskAsync(cache));
        (await RunAsync()).SetResult(2);
        Assert.Empty(_runs);
    }

    [Theory]
    [InlineData("DefaultFailSafeMaxAge")]
    [InlineData("FactorySoftTimeout")]
    [InlineData("FactoryHardTimeout")]
    public void What_needs_stale_values_is_refused(string option)
    {
        var time = TimeSpan.FromSeconds(1);
        var table = new TableOptions("t")
        {
            DefaultFailSafeMaxAge = option == "DefaultFailSafeMaxAge" ? time : null,
            FactorySoftTimeout = option == "FactorySoftTimeout" ? time : null,
            FactoryHardTimeout = option == "FactoryHardTimeout" ? time : null,
        };
        string told = Assert.Throws<ArgumentException>(() => Make(options: new PileHybridCacheOptions { Table = table })).Message;
        Assert.Contains($"PileHybridCacheOptions.Table.{option} is 00:00:01", told, StringComparison.Ordinal);
    }
}
