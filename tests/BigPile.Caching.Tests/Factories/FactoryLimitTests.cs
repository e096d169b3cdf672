using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Tests.Factories;

/// <summary>How many factories run at a time.</summary>
public sealed class FactoryLimitTests : IDisposable
{
    private readonly PileCache _cache;
    private readonly CacheTable<int, int> _table;

    public FactoryLimitTests()
    {
        _cache = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20 }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, MaxFactories = 2 });
        _table = _cache.GetOrCreateTable<int, int>("t");
    }

    public void Dispose() => _cache.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task No_more_than_the_cache_allows(bool isBlocking)
    {
        int running = 0;
        int most = 0;
        int Make(int key)
        {
            int now = Interlocked.Increment(ref running);
            InterlockedMax(ref most, now);
            Thread.Yield();
            Interlocked.Decrement(ref running);
            return key;
        }
        Task<int>[] calls = [.. Enumerable.Range(0, 100).Select(key => isBlocking
            ? SideBySide.Start(() => _table.GetOrAdd(key, Make))
            : _table.GetOrAddAsync(key, async (key, _) =>
            {
                await Task.Yield();
                return Make(key);
            }).AsTask())];
        Assert.Equal(Enumerable.Range(0, 100), await Task.WhenAll(calls));
        Assert.InRange(most, 1, 2);
    }

    /// <summary>Else callers that fill the pool would wait for one of its threads to go on.</summary>
    [Fact]
    public async Task One_that_blocks_runs_on_its_callers_thread_though_it_waited_for_a_place()
    {
        Task<(int Caller, int Factory)>[] calls = [.. Enumerable.Range(0, 20).Select(key => SideBySide.Start(() =>
            (Environment.CurrentManagedThreadId, _table.GetOrAdd(key, static _ =>
            {
                Thread.Yield();
                return Environment.CurrentManagedThreadId;
            }))))];
        Assert.All(await Task.WhenAll(calls), static call => Assert.Equal(call.Caller, call.Factory));
        calls = [.. Enumerable.Range(0, 20).Select(key => SideBySide.Start(() =>
            (Environment.CurrentManagedThreadId, _table.GetOrAddMany([100 + key], static keys =>
            {
                Thread.Yield();
                return keys.ToDictionary(static key => key, static _ => Environment.CurrentManagedThreadId);
            })[100 + key])))];
        Assert.All(await Task.WhenAll(calls), static call => Assert.Equal(call.Caller, call.Factory));
    }

    /// <summary>All places are taken by factories that ask for another key, each its own or the same.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task One_that_another_one_waits_for_needs_no_place(bool isShared)
    {
        Task<int>[] calls = [.. Enumerable.Range(1, 20).Select(key => _table.GetOrAddAsync(key, async (key, _) =>
        {
            await Task.Yield();
            return await _table.GetOrAddAsync(isShared ? -1 : -key, async (key, _) =>
            {
                await Task.Yield();
                return await _table.GetOrAddAsync(key - 1_000, static (key, _) => new ValueTask<int>(key));
            });
        }).AsTask())];
        Assert.All(await Task.WhenAll(calls).WaitAsync(Eventually.Timeout), static value => Assert.True(value < -1_000));
    }

    /// <summary>A run that waits for a place begins once a factory that has one waits for it.</summary>
    [Fact]
    public async Task Also_where_it_waited_before()
    {
        var go = new TaskCompletionSource();
        var never = new TaskCompletionSource<int>();
        async ValueTask<int> HoldAsync(int key, CancellationToken stop)
        {
            await go.Task;
            return key == 1 ? await _table.GetOrAddAsync(3, static (_, _) => new ValueTask<int>(-3)) : key;
        }
        Task<int>[] holders = [_table.GetOrAddAsync(1, HoldAsync).AsTask(), _table.GetOrAddAsync(2, async (_, _) =>
        {
            return await never.Task;
        }).AsTask()];
        Task<int> third = _table.GetOrAddAsync(3, static (_, _) => new ValueTask<int>(33)).AsTask();
        Assert.False(third.IsCompleted);
        go.SetResult();
        Assert.Equal((33, 33), (await third.WaitAsync(Eventually.Timeout), await holders[0].WaitAsync(Eventually.Timeout)));
        never.SetResult(0);
        Assert.Equal(0, await holders[1]);
    }

    /// <summary>All threads of the pool may wait for the place that the nested one is in the way of.</summary>
    [Fact]
    public void And_needs_no_thread_of_the_pool_for_that()
    {
        var outer = new FlightNode("outer", "t");
        var inner = new FlightNode("inner", "t");
        int thread = 0;
        _ = inner.WhenAwaited.ContinueWith(
            _ => thread = Environment.CurrentManagedThreadId, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        using (outer.EnterThread())
        {
            using FlightNode.Wait wait = inner.BeginWait();
            Assert.Equal(Environment.CurrentManagedThreadId, thread);
        }
        Assert.True(inner.WhenAwaited.IsCompleted);
    }

    [Fact]
    public async Task A_caller_that_waits_for_a_place_can_be_cancelled()
    {
        var go = new TaskCompletionSource();
        Task<int>[] holders = [.. Enumerable.Range(1, 2).Select(key => _table.GetOrAddAsync(key, async (key, _) =>
        {
            await go.Task;
            return key;
        }).AsTask())];
        using var cancel = new CancellationTokenSource();
        Task<int> third = _table.GetOrAddAsync(3, static (_, _) => new ValueTask<int>(3), null, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => third);
        go.SetResult();
        Assert.Equal(3, (await Task.WhenAll(holders)).Sum());
        Assert.Equal(3, await _table.GetOrAddAsync(3, static (_, _) => new ValueTask<int>(3)));
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen = Volatile.Read(ref most);
        while (value > seen && Interlocked.CompareExchange(ref most, value, seen) is int found && found != seen)
            seen = found;
    }
}
