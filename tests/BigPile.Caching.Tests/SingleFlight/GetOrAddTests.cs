using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.SingleFlight;

public sealed class GetOrAddTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();
    private readonly CacheTable<string, string?> _table;

    public GetOrAddTests() => _table = _cache.GetOrCreateTable<string, string?>("t");

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void The_factory_runs_when_the_key_is_missing_and_only_then()
    {
        int runs = 0;
        for (int i = 0; i < 3; i++)
            Assert.Equal("made", _table.GetOrAdd("a", _ => { runs++; return "made"; }));
        Assert.Null(_table.GetOrAdd("null", _ => { runs++; return null; }));
        Assert.Null(_table.GetOrAdd("null", _ => { runs++; return "x"; }));
        Assert.Equal("a1", _table.GetOrAdd("b", 1, (_, state) => "a" + state));
        Assert.Equal(2, runs);
    }

    [Fact]
    public async Task However_many_wait_the_factory_runs_once()
    {
        int runs = 0;
        using var go = new ManualResetEventSlim();
        Task<string?>[] callers = [.. Enumerable.Range(0, 8).Select(_ => Task.Factory.StartNew(
            () => _table.GetOrAdd("a", _ =>
            {
                Interlocked.Increment(ref runs);
                go.Wait();
                return "made";
            }),
            TaskCreationOptions.LongRunning))];
        Eventually.True(() => Volatile.Read(ref runs) == 1);
        go.Set();
        Assert.All(await Task.WhenAll(callers), value => Assert.Equal("made", value));
        Assert.Equal(1, runs);
    }

    [Fact]
    public async Task The_factory_runs_once_also_for_callers_that_want_another_type()
    {
        CacheTable<string, object> objects = _cache.GetOrCreateTable<string, object>("t");
        CacheTable<string, int> numbers = _cache.GetOrCreateTable<string, int>("t");
        int others = 0;
        var go = new TaskCompletionSource();
        Task<string?> first = _table.GetOrAddAsync("a", async (_, _) => { await go.Task; return "made"; }).AsTask();
        Task<object> second = objects.GetOrAddAsync("a", (_, _) => new ValueTask<object>($"other {++others}")).AsTask();
        Task<int> third = numbers.GetOrAddAsync("a", (_, _) => new ValueTask<int>(++others)).AsTask();
        go.SetResult();
        Assert.Equal(("made", "made", 0), (await first, await second, others));
        await Assert.ThrowsAsync<InvalidCastException>(() => third); // as of any read
        await Assert.ThrowsAsync<InvalidOperationException>(() => _table.GetOrAddAsync(
            "b", async (key, _) => (string)await objects.GetOrAddAsync(key, (_, _) => new ValueTask<object>("twice"))).AsTask());
    }

    /// <summary>A value that could not be stored is returned to the waiters, in the type that each asked for.</summary>
    [Fact]
    public async Task What_was_removed_meanwhile_is_shared_with_callers_that_want_another_type()
    {
        CacheTable<string, object> objects = _cache.GetOrCreateTable<string, object>("t");
        CacheTable<string, int> numbers = _cache.GetOrCreateTable<string, int>("t");
        var go = new TaskCompletionSource();
        Task<string?> first = _table.GetOrAddAsync("a", async (_, _) => { await go.Task; return "made"; }).AsTask();
        Task<object> second = objects.GetOrAddAsync("a", (_, _) => new ValueTask<object>("other")).AsTask();
        Task<int> third = numbers.GetOrAddAsync("a", (_, _) => new ValueTask<int>(1)).AsTask();
        _table.Remove("a");
        go.SetResult();
        Assert.Equal(("made", "made"), (await first, await second));
        await Assert.ThrowsAsync<InvalidCastException>(() => third);
        Assert.False(_table.ContainsKey("a"));
    }

    [Fact]
    public async Task However_many_await_the_factory_runs_once_and_each_has_an_object_of_its_own()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>("bytes");
        int runs = 0;
        var go = new TaskCompletionSource();
        Task<byte[]>[] callers = [.. Enumerable.Range(0, 20).Select(_ => table.GetOrAddAsync(1, async (_, _) =>
        {
            Interlocked.Increment(ref runs);
            await go.Task;
            return new byte[] { 1, 2, 3 };
        }).AsTask())];
        go.SetResult();
        byte[][] values = await Task.WhenAll(callers);
        Assert.Equal(1, runs);
        Assert.All(values, value => Assert.Equal([1, 2, 3], value));
        Assert.Equal(values.Length, values.Distinct().Count());
    }

    [Fact]
    public async Task A_waiter_that_is_cancelled_does_not_cancel_the_others()
    {
        var go = new TaskCompletionSource();
        CancellationToken seen = default;
        using var cancel = new CancellationTokenSource();
        Task<string?> first =
            _table.GetOrAddAsync("a", async (_, stop) => { seen = stop; await go.Task; return "made"; }, null, cancel.Token).AsTask();
        Task<string?> second = _table.GetOrAddAsync("a", (_, _) => throw new InvalidOperationException()).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Assert.False(seen.IsCancellationRequested);
        go.SetResult();
        Assert.Equal("made", await second);
    }

    [Fact]
    public async Task When_everyone_is_cancelled_so_is_the_factory_and_the_next_caller_starts_anew()
    {
        var go = new TaskCompletionSource();
        CancellationToken seen = default;
        using var cancel = new CancellationTokenSource();
        Task<string?>[] callers = [.. Enumerable.Range(0, 5).Select(_ => _table.GetOrAddAsync(
            "a", async (_, stop) => { seen = stop; await go.Task.WaitAsync(stop); return "old"; }, null, cancel.Token).AsTask())];
        await cancel.CancelAsync();
        foreach (Task<string?> caller in callers)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => caller);
        Assert.True(seen.IsCancellationRequested);
        Assert.Equal("new", await _table.GetOrAddAsync("a", (_, _) => ValueTask.FromResult<string?>("new")));
    }

    [Fact]
    public async Task What_the_factory_throws_all_get_and_nothing_is_kept()
    {
        var go = new TaskCompletionSource();
        Task<string?>[] callers = [.. Enumerable.Range(0, 3).Select(_ => _table.GetOrAddAsync(
            "a", async (_, _) => { await go.Task; throw new FormatException("bad"); }).AsTask())];
        go.SetResult();
        foreach (Task<string?> caller in callers)
            await Assert.ThrowsAsync<FormatException>(() => caller);
        Assert.Throws<FormatException>(() => _table.GetOrAdd("a", _ => throw new FormatException()));
        Assert.False(_table.ContainsKey("a"));
        Assert.Equal("good", _table.GetOrAdd("a", _ => "good"));
    }

    [Fact]
    public void A_factory_that_asks_for_its_own_key_is_told()
    {
        var error = Assert.Throws<InvalidOperationException>(() => _table.GetOrAdd("a", key => _table.GetOrAdd(key, _ => "x")));
        Assert.Contains("'a'", error.Message, StringComparison.Ordinal);
        Assert.Equal("b", _table.GetOrAdd("a", _ => _table.GetOrAdd("b", key => key)));
    }
}
