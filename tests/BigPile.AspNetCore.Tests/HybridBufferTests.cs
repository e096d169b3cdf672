using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>
/// Every buffer goes back, whatever way a call ends. All tests of hybrid caches check it at their end; here are the odd ways.
/// </summary>
public sealed class HybridBufferTests : HybridCacheTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Hits_misses_and_removals_give_buffers_back(bool hasBuffers)
    {
        RecordedLevel second = hasBuffers ? new RecordedBufferLevel() : new RecordedLevel();
        PileHybridCache cache = Make(second);
        for (int i = 0; i < 3; i++)
        {
            await GetAsync(cache, "k", new Poco());
            await PeekAsync<Poco>(cache, "missing");
            TableOf(cache).Remove("k");
            await GetAsync(cache, "k", new Poco());
            await cache.SetAsync("k", Shapes.Bytes(300_000));
            await cache.RemoveAsync("k");
            Assert.Equal(0, cache.Buffers.Lent);
        }
    }

    [Fact]
    public async Task Failures_give_buffers_back()
    {
        var second = new RecordedBufferLevel { FailsToRead = true, FailsToWrite = true };
        PileHybridCache cache = Make(second, new() { MaximumPayloadBytes = 100 });
        await GetAsync(cache, "k", new Poco());
        await GetAsync(cache, "large", Shapes.Bytes(1000));
        await GetAsync(cache, "unstorable", new Unstorable { Function = static () => 1 });
        await Assert.ThrowsAsync<PileSerializationException>(
            async () => await cache.SetAsync("unstorable", new Unstorable { Function = static () => 1 }));
        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await cache.GetOrCreateAsync<int>("failing", static _ => throw new InvalidOperationException("no")));
        Assert.Equal(0, cache.Buffers.Lent);
    }

    [Fact]
    public async Task A_run_that_everyone_left_gives_buffers_back()
    {
        PileHybridCache cache = Make(new RecordedBufferLevel());
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var source = new CancellationTokenSource();
        Task<int> call = cache.GetOrCreateAsync(
            "k",
            async abandoned =>
            {
                try
                {
                    await Task.Delay(Timeout.InfiniteTimeSpan, abandoned);
                    return 1;
                }
                finally
                {
                    ended.SetResult();
                }
            },
            cancellationToken: source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await ended.Task;
        Assert.Equal(0, cache.Buffers.Lent);
    }

    [Fact]
    public async Task Callers_who_copy_give_buffers_back()
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var calls = new Task<Poco>[8];
        for (int i = 0; i < calls.Length; i++)
        {
            calls[i] = Cache.GetOrCreateAsync(
                "k",
                async _ =>
                {
                    await release.Task;
                    return new Poco();
                },
                new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableLocalCache }).AsTask();
        }
        release.SetResult();
        await Task.WhenAll(calls);
        Assert.Equal(0, Cache.Buffers.Lent);
    }
}
