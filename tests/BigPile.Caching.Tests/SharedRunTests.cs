using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests;

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
}
