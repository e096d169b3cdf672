using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.SingleFlight;

/// <summary>A run that callers share outside of a table.</summary>
public sealed class SharedRunTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();
    private readonly CacheTable<string, string> _table;

    public SharedRunTests() => _table = _cache.GetOrCreateTable<string, string>("t");

    public void Dispose() => _cache.Dispose();

    [Fact]
    public async Task All_who_join_get_the_result_of_one_run()
    {
        var made = new TaskCompletionSource<int>();
        var run = new SharedRun<int>(_table, "k");
        int ended = 0;
        Task<int> first = run.RunAsync(_ => new ValueTask<int>(made.Task), () => ended++, default);
        Assert.True(run.TryJoin(out Task<int>? second, default));
        Assert.Equal(0, ended);
        made.SetResult(5);
        Assert.Equal(5, await first);
        Assert.Equal(5, await second);
        Assert.NotEqual(0, ended);
    }

    [Fact]
    public async Task A_run_that_all_have_left_is_cancelled_and_not_joined()
    {
        var run = new SharedRun<int>(_table, "k");
        using var leaving = new CancellationTokenSource();
        CancellationToken abandoned = default;
        Task<int> first = run.RunAsync(
            token =>
            {
                abandoned = token;
                return new ValueTask<int>(Task.Delay(Timeout.Infinite, token).ContinueWith(static _ => 0, TaskScheduler.Default));
            },
            static () => { }, leaving.Token);
        Assert.True(run.TryJoin(out Task<int>? second, leaving.Token));
        Assert.False(abandoned.IsCancellationRequested);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        Assert.True(abandoned.IsCancellationRequested);
        Assert.False(run.TryJoin(out _, default));
    }

    [Fact]
    public async Task A_run_that_would_wait_for_itself_over_a_table_is_told()
    {
        var run = new SharedRun<string>(_table, "outer");
        var told = await Assert.ThrowsAsync<InvalidOperationException>(() => run.RunAsync(
            async _ => await _table.GetOrAddAsync("inner", async (_, _) =>
            {
                Assert.True(run.TryJoin(out Task<string>? joined, default));
                return await joined;
            }),
            static () => { }, default));
        Assert.Contains("'inner'", told.Message, StringComparison.Ordinal);
        Assert.Contains("'outer'", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_the_end_of_a_run_throws_reaches_all_who_wait()
    {
        var made = new TaskCompletionSource<int>();
        foreach (Task<int> function in new[] { made.Task, Task.FromException<int>(new TimeoutException()) })
        {
            var run = new SharedRun<int>(_table, "k");
            Task<int> first = run.RunAsync(_ => new ValueTask<int>(function), static () => throw new InvalidTimeZoneException(), default);
            bool isJoined = run.TryJoin(out Task<int>? second, default);
            made.TrySetResult(5);
            await Assert.ThrowsAsync<InvalidTimeZoneException>(() => first.WaitAsync(Eventually.Timeout));
            if (isJoined)
                await Assert.ThrowsAsync<InvalidTimeZoneException>(() => second!.WaitAsync(Eventually.Timeout));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_leaves_last_neither_waits_for_the_function_s_cancellation_nor_gets_what_it_throws(bool blocks)
    {
        using var release = new ManualResetEventSlim(!blocks);
        using var leaving = new CancellationTokenSource();
        var run = new SharedRun<int>(_table, "k");
        var cancelled = new TaskCompletionSource();
        int ended = 0;
        Task<int> left = run.RunAsync(
            token =>
            {
                token.Register(() => Cancel(cancelled, release));
                return new ValueTask<int>(new TaskCompletionSource<int>().Task);
            },
            () => ended++, leaving.Token);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left.WaitAsync(Eventually.Timeout));
        Assert.Equal(1, ended);
        Assert.False(run.TryJoin(out _, default));
        release.Set();
        await cancelled.Task.WaitAsync(Eventually.Timeout);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_key_whose_factory_was_abandoned_is_made_anew_whatever_the_cancellation_does(bool blocks)
    {
        using var release = new ManualResetEventSlim(!blocks);
        using var leaving = new CancellationTokenSource();
        var cancelled = new TaskCompletionSource();
        Task<string> left = _table.GetOrAddAsync(
            "k",
            (_, token) =>
            {
                token.Register(() => Cancel(cancelled, release));
                return new ValueTask<string>(new TaskCompletionSource<string>().Task);
            },
            cancellationToken: leaving.Token).AsTask();
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left.WaitAsync(Eventually.Timeout));
        Assert.Equal("v", await SideBySide.Start(() => _table.GetOrAdd("k", static _ => "v")).WaitAsync(Eventually.Timeout));
        release.Set();
        await cancelled.Task.WaitAsync(Eventually.Timeout);
    }

    private static void Cancel(TaskCompletionSource cancelled, ManualResetEventSlim release)
    {
        Assert.True(release.Wait(Eventually.Timeout));
        cancelled.SetResult();
        throw new InvalidTimeZoneException("The cancellation of an application fails.");
    }
}
