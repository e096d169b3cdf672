using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.SingleFlight;

/// <summary>Factories that wait for each other: the call that would close the cycle fails, with the keys, and no thread hangs.</summary>
public sealed class FactoryCycleTests : IDisposable
{
    // Only a hang takes so long.
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    private readonly ITestOutputHelper _output;
    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;
    private readonly CacheTable<long, string> _other;

    public FactoryCycleTests(ITestOutputHelper output)
    {
        _output = output;
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string>("texts");
        _other = _cache.GetOrCreateTable<long, string>("numbers");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public async Task An_async_factory_that_asks_for_its_own_key_is_told()
    {
        await AssertRefusedAsync(
            () => _table.GetOrAddAsync("a", async (key, _) => await _table.GetOrAddAsync(key, Never)), "'a'", "'texts'");
        Assert.Equal(
            "b", await _table.GetOrAddAsync("a", async (_, _) => await _table.GetOrAddAsync("b", (key, _) => new ValueTask<string>(key))));
    }

    [Fact]
    public async Task So_is_one_that_asks_by_way_of_another_thread_or_another_key()
    {
        await AssertRefusedAsync(
            () => _table.GetOrAddAsync("a", async (key, _) => await Task.Run(async () => await _table.GetOrAddAsync(key, Never))), "'a'");
        await AssertRefusedAsync(
            () => _table.GetOrAddAsync("a", async (a, _) => await _other.GetOrAddAsync(1, async (_, _) =>
            {
                await Task.Yield();
                return await _table.GetOrAddAsync(a, Never);
            })),
            "'a'", "'texts'", "'1'", "'numbers'");
        await AssertRefusedAsync(
            () => _table.GetOrAddAsync("a", (a, _) => new ValueTask<string>(_table.GetOrAdd("b", _ => _table.GetOrAdd(a, key => key)))),
            "'a'", "'b'");
    }

    /// <summary>Without the caller's context the run that another thread works for is not known: its wait has a timeout.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task One_that_asks_for_its_own_key_without_its_context_is_told_in_the_end(bool isAsync)
    {
        var asks = new TaskCompletionSource();
        Task<string> Unseen(string key)
        {
            using AsyncFlowControl _ = ExecutionContext.SuppressFlow();
            return Task.Factory.StartNew(
                () =>
                {
                    asks.SetResult();
                    return isAsync ? _table.GetOrAddAsync(key, Never).AsTask() : Task.FromResult(_table.GetOrAdd(key, key => key));
                },
                TaskCreationOptions.LongRunning).Unwrap();
        }

        Task<string> asked = _table.GetOrAddAsync("a", async (key, _) => await Unseen(key)).AsTask();
        await asks.Task;
        await Eventually.TrueAsync(() =>
        {
            _time.Advance(TimeSpan.FromDays(1));
            return asked.IsCompleted;
        });
        TimeoutException told = await Assert.ThrowsAsync<TimeoutException>(() => asked);
        Assert.Contains("'a'", told.Message, StringComparison.Ordinal);
        Assert.Equal("new", await _table.GetOrAddAsync("a", static (_, _) => new ValueTask<string>("new")));
    }

    [Fact]
    public async Task One_that_asks_on_its_own_thread_is_told_whatever_context_it_took()
    {
        ExecutionContext empty = ExecutionContext.Capture()!;
        string? got = null;
        Task<string> asked = SideBySide.Start(() => _table.GetOrAdd("a", key =>
        {
            ExecutionContext.Run(empty, _ => got = _table.GetOrAdd(key, key => key), null);
            return got!;
        }));
        InvalidOperationException told = await Assert.ThrowsAsync<InvalidOperationException>(() => asked.WaitAsync(Timeout));
        Assert.Contains("'a'", told.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Two_that_ask_for_each_others_key_are_told(bool isAsync)
    {
        using var both = new Barrier(2);
        Task<string> Ask(string own, string other) => isAsync
            ? Task.Factory.StartNew(() => AskAsync(own, other), TaskCreationOptions.LongRunning).Unwrap()
            : Task.Factory.StartNew(
                () => _table.GetOrAdd(own, _ => Meet(() => _table.GetOrAdd(other, _ => "late"))), TaskCreationOptions.LongRunning);
        async Task<string> AskAsync(string own, string other) =>
            await _table.GetOrAddAsync(
                own, async (_, _) => await Meet(() => _table.GetOrAddAsync(other, static (_, _) => new ValueTask<string>("late"))));
        T Meet<T>(Func<T> then)
        {
            both.SignalAndWait(Timeout);
            return then();
        }

        Task<string>[] asked = [Ask("a", "b"), Ask("b", "a")];
        List<InvalidOperationException> told = await RefusedAmongAsync(asked);
        Assert.All(told, static one => Assert.Contains("'a'", one.Message, StringComparison.Ordinal));
        Assert.All(told, static one => Assert.Contains("'b'", one.Message, StringComparison.Ordinal));
        Assert.Equal("new", _table.GetOrAdd("c", static _ => "new"));
    }

    [Fact]
    public async Task Waits_without_a_circle_are_none()
    {
        // Two factories that wait for one key, at once and one behind the other, and a factory's task that goes on behind its run.
        var go = new TaskCompletionSource();
        Task<string> late = Task.FromResult("");
        Task<string>[] users = [];
        Task<string> shared = _table.GetOrAddAsync("shared", async (_, _) => { await go.Task; return "s"; }).AsTask();
        users = [.. Enumerable.Range(0, 4).Select(i => _table.GetOrAddAsync("user" + i, async (_, _) =>
        {
            string[] twice =
                await Task.WhenAll(_table.GetOrAddAsync("shared", Never).AsTask(), _table.GetOrAddAsync("shared", Never).AsTask());
            late = GoOnAsync("user0");
            return string.Concat(twice) + await _table.GetOrAddAsync("shared", Never);
        }).AsTask())];
        go.SetResult();
        Assert.All(await Task.WhenAll(users).WaitAsync(Timeout), value => Assert.Equal("sss", value));
        Assert.Equal("sss", await late.WaitAsync(Timeout));

        async Task<string> GoOnAsync(string key)
        {
            await go.Task;
            await Task.Yield();
            await Eventually.TrueAsync(() => users.Length != 0);
            await Task.WhenAll(users);
            return await _table.GetOrAddAsync(key, Never);
        }
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    public async Task A_circle_of_any_length_in_random_order_never_hangs(int length)
    {
        int seed = TestLeg.Seed(Environment.TickCount);
        _output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int round = 0; round < 50; round++)
        {
            int[] order = [.. Enumerable.Range(0, length)];
            random.Shuffle(order);
            using var all = new Barrier(length);
            var asked = new List<Task<string>>();
            for (int i = 0; i < length; i++)
            {
                (string own, string next) = ($"{round}.{order[i]}", $"{round}.{order[(i + 1) % length]}");
                asked.Add(Task.Factory.StartNew(
                    () => _table.GetOrAdd(own, _ =>
                    {
                        all.SignalAndWait(Timeout);
                        return _table.GetOrAdd(next, static _ => "late");
                    }),
                    TaskCreationOptions.LongRunning));
            }
            _ = await RefusedAmongAsync(asked);
        }
    }

    // At least the call that would have closed the cycle is refused, and its waiters with it; a later caller finds no cycle any more.
    private static async Task<List<InvalidOperationException>> RefusedAmongAsync(IEnumerable<Task<string>> asked)
    {
        var told = new List<InvalidOperationException>();
        foreach (Task<string> task in asked)
        {
            try
            {
                Assert.Equal("late", await task.WaitAsync(Timeout));
            }
            catch (InvalidOperationException e)
            {
                told.Add(e);
            }
        }
        Assert.NotEmpty(told);
        return told;
    }

    private static ValueTask<string> Never(string key, CancellationToken stop) => throw new NotSupportedException("must not run");

    private static async Task AssertRefusedAsync(Func<ValueTask<string>> ask, params string[] named)
    {
        InvalidOperationException told = await Assert.ThrowsAsync<InvalidOperationException>(() => ask().AsTask().WaitAsync(Timeout));
        Assert.All(named, name => Assert.Contains(name, told.Message, StringComparison.Ordinal));
    }
}
