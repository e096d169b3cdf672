using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>Many keys in one call: one call of the factory for those that are missing.</summary>
public sealed class HybridManyTests : HybridCacheTest
{
    private readonly ConcurrentQueue<string> _asked = new();
    private readonly TaskCompletionSource _abandoned = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private string[] TakeAsked()
    {
        string[] asked = [.. _asked];
        _asked.Clear();
        return asked;
    }

    private async ValueTask<IReadOnlyDictionary<string, int>> MakeAsync(IReadOnlyList<string> keys, CancellationToken stop)
    {
        _asked.Enqueue(string.Join(' ', keys));
        await Task.Yield();
        return keys.Where(static key => !key.StartsWith('-')).ToDictionary(static key => key, static key => key.Length);
    }

    private ValueTask<IReadOnlyDictionary<string, int>> AskAsync(params string[] keys) => Cache.GetOrCreateManyAsync(keys, MakeAsync);

    [Fact]
    public async Task The_factory_is_called_once_with_what_is_missing()
    {
        await GetAsync(Cache, "bb", 7);
        IReadOnlyDictionary<string, int> values = await AskAsync("a", "bb", "ccc", "a");
        Assert.Equal([("a", 1), ("bb", 7), ("ccc", 3)], values.Select(static pair => (pair.Key, pair.Value)).Order());
        Assert.Equal(["a ccc"], TakeAsked());
        await AskAsync("a", "bb", "ccc");
        Assert.Empty(TakeAsked());
    }

    [Fact]
    public async Task Without_keys_nothing_is_called()
    {
        Assert.Empty(await AskAsync());
        Assert.Empty(TakeAsked());
    }

    [Fact]
    public async Task A_key_without_a_value_is_neither_returned_nor_cached()
    {
        Assert.Equal(["a"], (await AskAsync("a", "-b")).Keys);
        Assert.Equal(["a"], (await AskAsync("a", "-b")).Keys);
        Assert.Equal(["a -b", "-b"], TakeAsked());
        Assert.Equal(5, await GetAsync(Cache, "-b", 5));
    }

    [Fact]
    public async Task The_second_level_is_asked_before_the_factory()
    {
        var second = new RecordedBufferLevel();
        await Make(second).SetAsync("bb", 9);
        second.TakeAsked();
        PileHybridCache cache = Make(second);
        IReadOnlyDictionary<string, int> values = await cache.GetOrCreateManyAsync(["a", "bb"], MakeAsync);
        Assert.Equal((1, 9), (values["a"], values["bb"]));
        Assert.Equal(["a"], TakeAsked());
        Assert.Equal(["get a", "get bb", "set a"], second.TakeAsked().Order());
        Assert.Equal(9, await PeekAsync<int>(cache, "bb"));
        Assert.Empty(second.TakeAsked());
    }

    [Fact]
    public async Task Options_and_tags_are_those_of_all_new_values()
    {
        var options = new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(1) };
        await Cache.GetOrCreateManyAsync(["a", "b", "c"], MakeAsync, options, ["tag"]);
        Time.Advance(TimeSpan.FromMinutes(1) - TimeSpan.FromTicks(1));
        Assert.Equal(1, await PeekAsync<int>(Cache, "c"));
        await Cache.RemoveByTagAsync("tag");
        Assert.Equal(0, await PeekAsync<int>(Cache, "c"));
        await Cache.GetOrCreateManyAsync(["a"], MakeAsync, options);
        Time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(0, await PeekAsync<int>(Cache, "a"));
    }

    [Fact]
    public async Task Without_underlying_data_only_what_is_cached_is_returned()
    {
        await AskAsync("a");
        var options = new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableUnderlyingData };
        Assert.Equal(["a"], (await Cache.GetOrCreateManyAsync<int>(["a", "b"], MakeAsync, options)).Keys);
        Assert.Equal(["a"], TakeAsked());
    }

    [Fact]
    public async Task Keys_that_cant_be_cached_are_made_each_time_in_the_same_call()
    {
        string tooLong = new('k', new PileHybridCacheOptions().MaximumKeyLength + 1);
        for (int i = 0; i < 2; i++)
        {
            IReadOnlyDictionary<string, int> values = await AskAsync("a", " ", tooLong);
            Assert.Equal((1, 1, tooLong.Length), (values["a"], values[" "], values[tooLong]));
        }
        Assert.Equal([$"a   {tooLong}", $"  {tooLong}"], TakeAsked());
    }

    [Fact]
    public async Task A_failure_is_that_of_the_call_and_caches_nothing()
    {
        InvalidOperationException failure = await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await Cache.GetOrCreateManyAsync<int>(["a", "b"], static (_, _) => throw new InvalidOperationException("no")));
        Assert.Equal("no", failure.Message);
        Assert.Contains("null", (await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await Cache.GetOrCreateManyAsync<int>(["a", "b"], static (_, _) => new((IReadOnlyDictionary<string, int>)null!))))
            .Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(async () => await AskAsync("a", null!));
        Assert.Equal(2, (await AskAsync("a", "b")).Count);
    }

    [Fact]
    public async Task One_run_makes_a_key_for_all_calls()
    {
        var release = new TaskCompletionSource();
        async ValueTask<IReadOnlyDictionary<string, int>> MakeLaterAsync(IReadOnlyList<string> keys, CancellationToken stop)
        {
            await release.Task;
            return await MakeAsync(keys, stop);
        }
        Task<IReadOnlyDictionary<string, int>> first = Cache.GetOrCreateManyAsync(["a", "b"], MakeLaterAsync).AsTask();
        Task<IReadOnlyDictionary<string, int>> second = Cache.GetOrCreateManyAsync(["c", "b", "a"], MakeLaterAsync).AsTask();
        Task<int> one = GetAsync(Cache, "b", 99).AsTask();
        release.SetResult();
        Assert.Equal((2, 3, 1), ((await first).Count, (await second).Count, await one));
        Assert.Equal(["a b", "c"], TakeAsked().Order());
        Assert.Equal(0, Made);
    }

    [Fact]
    public async Task What_one_calls_factory_does_not_have_the_others_factory_may_have()
    {
        var release = new TaskCompletionSource();
        Task<IReadOnlyDictionary<string, int>> first = Cache.GetOrCreateManyAsync(["-a", "b"], async (keys, stop) =>
        {
            await release.Task;
            return await MakeAsync(keys, stop);
        }).AsTask();
        Task<int> one = GetAsync(Cache, "-a", 99).AsTask();
        Task<IReadOnlyDictionary<string, int>> second = Cache.GetOrCreateManyAsync<int>(
            ["-a", "b"], static (keys, _) => new(keys.ToDictionary(static key => key, static _ => 99))).AsTask();
        release.SetResult();
        Assert.Equal(["b"], (await first).Keys);
        Assert.Equal((99, 99, 1), (await one, (await second)["-a"], (await second)["b"]));
    }

    [Fact]
    public async Task A_caller_that_goes_leaves_each_key_to_those_who_wait_for_it()
    {
        using var source = new CancellationTokenSource();
        var started = new TaskCompletionSource();
        var release = new TaskCompletionSource();
        Task<IReadOnlyDictionary<string, int>> first = Cache.GetOrCreateManyAsync(
            ["a", "b"],
            async (keys, stop) =>
            {
                started.SetResult();
                await release.Task.WaitAsync(stop);
                return await MakeAsync(keys, stop);
            },
            cancellationToken: source.Token).AsTask();
        await started.Task.WaitAsync(Eventually.Timeout);
        Task<int> one = GetAsync(Cache, "b", 99).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        release.SetResult();
        Assert.Equal(1, await one.WaitAsync(Eventually.Timeout));
        Assert.Equal(0, Made);
    }

    [Fact]
    public async Task A_factory_that_nobody_waits_for_is_cancelled()
    {
        using var source = new CancellationTokenSource();
        var never = new TaskCompletionSource();
        var started = new TaskCompletionSource();
        Task<IReadOnlyDictionary<string, int>> call = Cache.GetOrCreateManyAsync<int>(
            ["a", "b"],
            async (_, stop) =>
            {
                started.SetResult();
                await never.Task.WaitAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                _abandoned.SetResult();
                throw new OperationCanceledException(stop);
            },
            cancellationToken: source.Token).AsTask();
        await started.Task.WaitAsync(Eventually.Timeout);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await _abandoned.Task.WaitAsync(Eventually.Timeout);
        Assert.Equal(2, (await AskAsync("a", "b")).Count);
    }

    [Theory]
    [InlineData("a")]
    [InlineData("b")]
    public async Task A_factory_that_asks_for_a_key_of_its_own_is_told(string asked)
    {
        InvalidOperationException told = await Assert.ThrowsAsync<InvalidOperationException>(() => Cache.GetOrCreateManyAsync<int>(
            ["a", "b"], async (_, _) => new Dictionary<string, int> { ["a"] = await GetAsync(Cache, asked, 1) })
            .AsTask().WaitAsync(Eventually.Timeout));
        Assert.Contains("'hybrid-cache'", told.Message, StringComparison.Ordinal);
        Assert.Equal(0, Made);
    }

    [Fact]
    public async Task A_key_that_was_removed_meanwhile_is_returned_and_not_cached()
    {
        IReadOnlyDictionary<string, int> values = await Cache.GetOrCreateManyAsync(["a", "b"], async (keys, stop) =>
        {
            await Cache.RemoveAsync("a", stop);
            return await MakeAsync(keys, stop);
        });
        Assert.Equal(2, values.Count);
        Assert.Equal((0, 1), (await PeekAsync<int>(Cache, "a"), await PeekAsync<int>(Cache, "b")));
    }
}
