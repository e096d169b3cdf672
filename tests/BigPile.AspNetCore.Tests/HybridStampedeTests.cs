using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>Many callers want what is missing, and one factory runs.</summary>
public sealed class HybridStampedeTests : HybridCacheTest
{
    private readonly TaskCompletionSource _release = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _abandoned = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    public async Task All_callers_share_one_run(int callers)
    {
        Task<Guid>[] calls = [.. Enumerable.Range(0, callers).Select(_ => AskAsync(static () => Guid.NewGuid(), default))];
        Assert.All(calls, static call => Assert.False(call.IsCompleted));
        _release.SetResult();
        Guid[] results = await Task.WhenAll(calls);
        Assert.Single(results.Distinct());
        Assert.Equal(1, Made);
    }

    [Theory]
    [InlineData(2, 0)]
    [InlineData(10, 0)]
    [InlineData(10, 7)]
    public async Task Callers_that_cancel_leave_the_others_what_they_wait_for(int callers, int remaining)
    {
        CancellationTokenSource[] sources = [.. Enumerable.Range(0, callers).Select(static _ => new CancellationTokenSource())];
        Task<Guid>[] calls = [.. sources.Select(source => AskAsync(static () => Guid.NewGuid(), source.Token))];
        for (int i = 0; i < callers; i++)
        {
            if (i == remaining)
                continue;
            await sources[i].CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => calls[i]);
        }
        Assert.False(_abandoned.Task.IsCompleted);
        _release.SetResult();
        Assert.NotEqual(Guid.Empty, await calls[remaining]);
        Assert.Equal(1, Made);
        Assert.Equal(await calls[remaining], await PeekAsync<Guid>(Cache, "k"));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(10)]
    public async Task A_run_is_cancelled_when_everyone_has_cancelled(int callers)
    {
        CancellationTokenSource[] sources = [.. Enumerable.Range(0, callers).Select(static _ => new CancellationTokenSource())];
        Task<Guid>[] calls = [.. sources.Select(source => AskAsync(static () => Guid.NewGuid(), source.Token))];
        foreach (CancellationTokenSource source in sources)
        {
            Assert.False(_abandoned.Task.IsCompleted);
            await source.CancelAsync();
        }
        foreach (Task<Guid> call in calls)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await _abandoned.Task.WaitAsync(Eventually.Timeout);
        Assert.Equal(Guid.Empty, await PeekAsync<Guid>(Cache, "k"));
        Assert.Equal(5, await GetAsync(Cache, "k", 5)); // the next caller begins a run of its own
    }

    [Fact]
    public async Task A_call_that_is_cancelled_already_runs_nothing()
    {
        using var source = new CancellationTokenSource();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => AskAsync(static () => 1, source.Token));
        Assert.Equal(0, Made);
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCache)]
    public async Task Callers_share_an_object_that_nobody_can_change(HybridCacheEntryFlags flags)
    {
        Task<ImmutablePoco>[] calls =
            [.. Enumerable.Range(0, 4).Select(_ => AskAsync(static () => new ImmutablePoco(1, "one"), default, flags))];
        _release.SetResult();
        ImmutablePoco[] results = await Task.WhenAll(calls);
        Assert.All(results, result => Assert.Same(results[0], result));
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCache)]
    public async Task Callers_never_share_an_object_that_can_be_changed(HybridCacheEntryFlags flags)
    {
        Task<Poco>[] calls = [.. Enumerable.Range(0, 4).Select(_ => AskAsync(static () => new Poco { Number = 5 }, default, flags))];
        _release.SetResult();
        Poco[] results = await Task.WhenAll(calls);
        Assert.Equal(4, results.Distinct().Count());
        Assert.All(results, static result => Assert.Equal(5, result.Number));
        Assert.Equal(1, Made);
        results[0].Number = 6;
        if (flags == HybridCacheEntryFlags.None)
            Assert.Equal(5, (await PeekAsync<Poco>(Cache, "k")).Number);
    }

    [Fact]
    public async Task What_cant_be_copied_is_made_for_each_caller()
    {
        Task<Unstorable>[] calls =
            [.. Enumerable.Range(0, 3).Select(_ => AskAsync(static () => new Unstorable { Function = static () => 1 }, default))];
        _release.SetResult();
        Assert.Equal(3, (await Task.WhenAll(calls)).Distinct().Count());
    }

    [Fact]
    public async Task All_who_wait_get_the_failure()
    {
        Task<int>[] calls =
            [.. Enumerable.Range(0, 3).Select(_ => AskAsync<int>(static () => throw new InvalidOperationException("no"), default))];
        _release.SetResult();
        foreach (Task<int> call in calls)
            await Assert.ThrowsAsync<InvalidOperationException>(() => call);
        Assert.Equal(1, Made);
    }

    [Fact]
    public async Task Threads_that_race_for_many_keys_run_each_factory_once()
    {
        const int Keys = 200;
        var runs = new int[Keys];
        _release.SetResult();
        await Parallel.ForEachAsync(Enumerable.Range(0, Keys * 16), async (i, stop) =>
        {
            int key = i % Keys;
            Poco value = await Cache.GetOrCreateAsync(
                $"key {key}",
                async _ =>
                {
                    Interlocked.Increment(ref runs[key]);
                    await Task.Yield();
                    return new Poco { Number = key };
                },
                cancellationToken: stop);
            Assert.Equal(key, value.Number);
        });
        Assert.All(runs, static run => Assert.Equal(1, run));
    }

    private Task<T> AskAsync<T>(Func<T> make, CancellationToken cancellation, HybridCacheEntryFlags flags = HybridCacheEntryFlags.None) =>
        Cache.GetOrCreateAsync(
            "k",
            async abandoned =>
            {
                Interlocked.Increment(ref Made);
                try
                {
                    await _release.Task.WaitAsync(abandoned);
                }
                catch (OperationCanceledException)
                {
                    _abandoned.SetResult();
                    throw;
                }
                return make();
            },
            new HybridCacheEntryOptions { Flags = flags }, cancellationToken: cancellation).AsTask();
}
