using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>One call of a factory for all keys that are missing, and one run for each key.</summary>
public sealed class GetOrAddManyTests : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(1);
    private static readonly EntryOptions Kept = new() { MaxAge = Life, FailSafeMaxAge = TimeSpan.FromHours(1) };

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;
    private readonly List<string[]> _calls = [];

    public GetOrAddManyTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string>("t");
    }

    public void Dispose() => _cache.Dispose();

    private Dictionary<string, string> Make(IReadOnlyList<string> keys)
    {
        lock (_calls)
            _calls.Add([.. keys]);
        return keys.Where(static key => !key.StartsWith("no", StringComparison.Ordinal))
            .ToDictionary(static key => key, static key => $"{key} made");
    }

    private static ValueTask<IReadOnlyDictionary<string, string>> Result(Dictionary<string, string> values) => new(values);

    [Fact]
    public void The_factory_is_called_once_with_those_that_are_missing()
    {
        _table.Put("b", "there");
        IReadOnlyDictionary<string, string> values = _table.GetOrAddMany(["a", "b", "c", "a", "none"], Make);
        Assert.Equal([("a", "a made"), ("b", "there"), ("c", "c made")], values.Select(static pair => (pair.Key, pair.Value)).Order());
        Assert.Equal(["a", "c", "none"], Assert.Single(_calls));
        values = _table.GetOrAddMany(["a", "b", "c"], Make);
        Assert.Equal((3, 1), (values.Count, _calls.Count));
        _ = _table.GetOrAddMany(["none"], Make); // nothing was kept of it
        Assert.Equal(2, _calls.Count);
        Assert.Empty(_table.GetOrAddMany([], Make));
        Assert.Equal((3, 5), (_table.Count, _table.Statistics.Misses + 1));
    }

    [Fact]
    public async Task Callers_of_one_key_and_of_many_wait_for_each_other()
    {
        var go = new TaskCompletionSource();
        int runs = 0;
        Task<string> one = _table.GetOrAddAsync("a", async (_, _) =>
        {
            Interlocked.Increment(ref runs);
            await go.Task;
            return "of one";
        }).AsTask();
        Task<IReadOnlyDictionary<string, string>> many = _table.GetOrAddManyAsync(["a", "b"], async (keys, _) =>
        {
            await go.Task;
            return Make(keys);
        }).AsTask();
        Task<IReadOnlyDictionary<string, string>> others =
            _table.GetOrAddManyAsync(["c", "b", "a"], (keys, _) => Result(Make(keys))).AsTask();
        Task<string> joined =
            _table.GetOrAddAsync("b", (_, _) => throw new InvalidOperationException("the call for many makes it")).AsTask();
        go.SetResult();
        Assert.Equal(("of one", "b made"), (await one, await joined));
        Assert.Equal(["of one", "b made"], (await many).OrderBy(static pair => pair.Key).Select(static pair => pair.Value));
        Assert.Equal(3, (await others).Count);
        Assert.Equal(["b", "c"], _calls.Select(static keys => string.Join(' ', keys)).Order());
        Assert.Equal(1, runs);
    }

    [Fact]
    public async Task A_key_that_another_factory_has_nothing_for_is_asked_of_ones_own()
    {
        var go = new TaskCompletionSource();
        Task<IReadOnlyDictionary<string, string>> first = _table.GetOrAddManyAsync(["a", "none"], async (keys, _) =>
        {
            await go.Task;
            return Make(keys);
        }).AsTask();
        Task<string> one = _table.GetOrAddAsync("none", (_, _) => new ValueTask<string>("found")).AsTask();
        go.SetResult();
        Assert.Equal(["a"], (await first).Keys);
        Assert.Equal("found", await one);
    }

    [Fact]
    public void Where_it_fails_stale_values_are_given_if_each_key_has_one()
    {
        _ = _table.GetOrAddMany(["a", "b"], Make, Kept);
        _time.Advance(Life);
        Dictionary<string, string> Fail(IReadOnlyList<string> keys) => throw new IOException(string.Join(' ', keys));
        IReadOnlyDictionary<string, string> values = _table.GetOrAddMany(["a", "b"], Fail, Kept);
        Assert.Equal((2, "a made"), (values.Count, values["a"]));
        _time.Advance(Life); // behind the throttle
        IOException error = Assert.Throws<IOException>(() => _table.GetOrAddMany(["a", "b", "c"], Fail, Kept));
        Assert.Equal("a b c", error.Message);
        Assert.Equal(2, _table.GetOrAddMany(["a", "b"], Make, Kept).Count); // throttled
        Assert.Single(_calls);
    }

    [Fact]
    public async Task And_after_the_soft_time_limit()
    {
        EntryOptions options = Kept with { FactorySoftTimeout = TimeSpan.FromSeconds(1) };
        _ = _table.GetOrAddMany(["a", "b"], Make, options);
        _time.Advance(Life);
        var go = new TaskCompletionSource();
        int timers = _time.TimerCount;
        Task<IReadOnlyDictionary<string, string>> late = _table.GetOrAddManyAsync(["a", "b"], async (keys, _) =>
        {
            await go.Task;
            return keys.ToDictionary(static key => key, static _ => "new");
        }, options).AsTask();
        await Eventually.TrueAsync(() => _time.TimerCount > timers);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal("a made", (await late)["a"]);
        go.SetResult();
        await Eventually.TrueAsync(() => _table.ContainsKey("a") && _table.ContainsKey("b"));
        Assert.Equal("new", _table.Get("b"));
    }

    [Fact]
    public async Task The_factory_is_cancelled_once_nobody_waits_for_any_of_its_keys()
    {
        CancellationToken seen = default;
        using var cancel = new CancellationTokenSource();
        using var cancelOther = new CancellationTokenSource();
        Task many = _table.GetOrAddManyAsync(["a", "b"], async (keys, stop) =>
        {
            seen = stop;
            await Task.Delay(Timeout.InfiniteTimeSpan, stop);
            return Make(keys);
        }, null, cancel.Token).AsTask();
        Task one = _table.GetOrAddAsync("b", (_, _) => new ValueTask<string>("x"), null, cancelOther.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => many);
        Assert.False(seen.IsCancellationRequested);
        await cancelOther.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => one);
        await Eventually.TrueAsync(() => seen.IsCancellationRequested);
        Assert.Equal("a made", (await _table.GetOrAddManyAsync(["a"], (keys, _) => Result(Make(keys))))["a"]);
    }

    [Fact]
    public async Task A_factory_that_asks_for_one_of_its_own_keys_is_told()
    {
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => _table.GetOrAddManyAsync(
            ["a", "b"],
            async (keys, stop) =>
            {
                _ = await _table.GetOrAddAsync("b", (_, _) => new ValueTask<string>("x"));
                return Make(keys);
            }).AsTask());
        Assert.Contains("'a, b'", error.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<InvalidOperationException>(() => _table.GetOrAddManyAsync(["a"], (_, _) => Result(null!)).AsTask());
    }

    /// <summary>Many calls with keys in common, in any order: none hangs, and each key is made once.</summary>
    [Fact]
    public async Task Calls_with_common_keys_never_wait_for_each_other_for_ever()
    {
        var random = new Random(TestLeg.Seed(44));
        int[] made = new int[40];
        Task<IReadOnlyDictionary<int, int>>[] calls;
        CacheTable<int, int> numbers = _cache.GetOrCreateTable<int, int>("numbers");
        calls = [.. Enumerable.Range(0, 60).Select(_ =>
        {
            int[] keys = [.. Enumerable.Range(0, made.Length).OrderBy(_ => random.Next()).Take(random.Next(1, made.Length))];
            return numbers.GetOrAddManyAsync(keys, async (missing, _) =>
            {
                await Task.Yield();
                foreach (int key in missing)
                    Interlocked.Increment(ref made[key]);
                return missing.ToDictionary(static key => key, static key => -key);
            }).AsTask();
        })];
        IReadOnlyDictionary<int, int>[] results = await Task.WhenAll(calls);
        Assert.All(results, static values => Assert.All(values, static pair => Assert.Equal(-pair.Key, pair.Value)));
        Assert.All(made, static runs => Assert.True(runs <= 1));
    }
}
