using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>How long a caller waits for a factory.</summary>
public sealed class TimeLimitTests : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan Soft = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Hard = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Tick = new(1);
    private static readonly EntryOptions Limited = new()
    {
        MaxAge = Life,
        FailSafeMaxAge = TimeSpan.FromHours(1),
        FactorySoftTimeout = Soft,
        FactoryHardTimeout = Hard,
    };

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;
    private readonly TaskCompletionSource<string> _source = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationToken _stop;
    private int _runs;

    public TimeLimitTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string>("t");
    }

    public void Dispose() => _cache.Dispose();

    private async ValueTask<string> AskAsync(string key, FactoryContext<string> context, CancellationToken stop)
    {
        _stop = stop;
        Interlocked.Increment(ref _runs);
        return await _source.Task;
    }

    private Task<MadeValue<string>> GetAsync(EntryOptions? options = null) =>
        _table.GetOrAddEntryAsync("a", AskAsync, options ?? Limited).AsTask();

    // The call waits once its timer is there, and its factory runs.
    private async Task<Task<MadeValue<string>>> BeginAsync(EntryOptions? options = null)
    {
        int timers = _time.TimerCount;
        int runs = Volatile.Read(ref _runs);
        Task<MadeValue<string>> call = GetAsync(options);
        await Eventually.TrueAsync(() => _time.TimerCount > timers && Volatile.Read(ref _runs) > runs);
        return call;
    }

    private void PutStale()
    {
        _table.Put("a", "old", Limited);
        _time.Advance(Life);
    }

    [Fact]
    public async Task After_the_soft_one_the_stale_value_is_given_to_the_tick_and_the_run_goes_on()
    {
        PutStale();
        Task<MadeValue<string>> call = await BeginAsync();
        _time.Advance(Soft - Tick);
        Assert.False(call.IsCompleted);
        _time.Advance(Tick);
        MadeValue<string> made = await call;
        Assert.Equal(("old", ValueOrigin.Stale), (made.Value, made.Origin));
        Assert.IsType<TimeoutException>(made.Failure);
        Assert.Equal("old", (await GetAsync()).Value); // at once: the throttle
        Assert.False(_stop.IsCancellationRequested);
        _source.SetResult("new");
        await Eventually.TrueAsync(() => _table.ContainsKey("a"));
        made = await GetAsync();
        Assert.Equal(("new", ValueOrigin.Table, 1), (made.Value, made.Origin, _runs));
    }

    [Fact]
    public async Task Without_a_stale_value_the_soft_one_is_of_no_effect()
    {
        Task<MadeValue<string>> call = await BeginAsync();
        _time.Advance(Hard - Tick);
        Assert.False(call.IsCompleted);
        _source.SetResult("new");
        Assert.Equal(ValueOrigin.Factory, (await call).Origin);
    }

    [Fact]
    public async Task After_the_hard_one_there_is_an_error_to_the_tick_and_the_run_is_cancelled()
    {
        Task<MadeValue<string>> call = await BeginAsync();
        _time.Advance(Hard - Tick);
        Assert.False(call.IsCompleted);
        _time.Advance(Tick);
        TimeoutException error = await Assert.ThrowsAsync<TimeoutException>(() => call);
        Assert.Equal(
            "The factory for the key 'a' of the table 't' has not ended within 00:00:05, its FactoryHardTimeout, and there is no stale "
            + "value to give.", error.Message);
        await Eventually.TrueAsync(() => _stop.IsCancellationRequested);
        Task<MadeValue<string>> next = await BeginAsync(); // runs anew
        _source.SetResult("new");
        Assert.Equal(("new", 2), ((await next).Value, _runs));
    }

    [Fact]
    public async Task Or_the_stale_value()
    {
        PutStale();
        Task<MadeValue<string>> call = await BeginAsync(Limited with { FactorySoftTimeout = null });
        _time.Advance(Hard - Tick);
        Assert.False(call.IsCompleted);
        _time.Advance(Tick);
        Assert.Equal(("old", ValueOrigin.Stale), ((await call).Value, ValueOrigin.Stale));
        await Eventually.TrueAsync(() => _stop.IsCancellationRequested);
    }

    [Fact]
    public async Task A_run_that_its_callers_left_is_cancelled_after_the_hard_one()
    {
        PutStale();
        Task<MadeValue<string>> call = await BeginAsync();
        _time.Advance(Soft);
        Assert.Equal("old", (await call).Value);
        await Eventually.TrueAsync(() => _time.TimerCount > 0);
        _time.Advance(Hard - Soft - Tick);
        Assert.False(_stop.IsCancellationRequested);
        _time.Advance(Tick);
        await Eventually.TrueAsync(() => _stop.IsCancellationRequested);
    }

    [Fact]
    public async Task A_run_that_fails_after_its_callers_left_harms_nobody()
    {
        PutStale();
        Task<MadeValue<string>> call = await BeginAsync(Limited with { FailSafeThrottle = TimeSpan.Zero });
        _time.Advance(Soft);
        Assert.Equal("old", (await call).Value);
        Task<MadeValue<string>> joined = GetAsync(Limited with { FailSafeThrottle = TimeSpan.Zero });
        _source.SetException(new InvalidOperationException("late"));
        MadeValue<string> made = await joined;
        Assert.Equal(("old", "late", 1), (made.Value, made.Failure?.Message, _runs));
    }

    [Fact]
    public async Task A_blocking_factory_is_left_behind_on_a_thread_of_the_pool()
    {
        PutStale();
        using var go = new ManualResetEventSlim();
        int timers = _time.TimerCount;
        Task<string> call = SideBySide.Start(() => _table.GetOrAdd("a", (_, _) =>
        {
            Interlocked.Increment(ref _runs);
            go.Wait();
            return "new";
        }, Limited));
        await Eventually.TrueAsync(() => _time.TimerCount > timers && Volatile.Read(ref _runs) == 1);
        _time.Advance(Soft);
        Assert.Equal("old", await call);
        go.Set();
        await Eventually.TrueAsync(() => _table.ContainsKey("a"));
        Assert.Equal("new", _table.Get("a"));
    }

    [Fact]
    public async Task A_caller_that_is_cancelled_ends_no_run_that_others_wait_for()
    {
        PutStale();
        using var cancel = new CancellationTokenSource();
        Task<MadeValue<string>> first = await BeginAsync();
        Task<MadeValue<string>> second = _table.GetOrAddEntryAsync("a", AskAsync, Limited, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        Assert.False(_stop.IsCancellationRequested);
        _source.SetResult("new");
        Assert.Equal(("new", 1), ((await first).Value, _runs));
    }

    [Fact]
    public void What_can_be_no_time_limit_is_refused_by_name()
    {
        (EntryOptions Options, string Name)[] wrong =
        [
            (new EntryOptions { FactorySoftTimeout = TimeSpan.Zero }, "EntryOptions.FactorySoftTimeout must be above zero"),
            (new EntryOptions { FactoryHardTimeout = -Tick }, "EntryOptions.FactoryHardTimeout must be above zero"),
            (new EntryOptions { FactoryHardTimeout = TimeSpan.MaxValue }, "EntryOptions.FactoryHardTimeout must be above zero"),
            (new EntryOptions { FailSafeThrottle = -Tick }, "EntryOptions.FailSafeThrottle must be from zero to 7"),
            (new EntryOptions { FailSafeThrottle = TimeSpan.FromDays(7) + Tick }, "EntryOptions.FailSafeThrottle must be from zero to 7"),
            (new EntryOptions { EagerRefresh = 1 }, "EntryOptions.EagerRefresh must be above 0 and below 1"),
            (new EntryOptions { FailSafeMaxAge = -Tick, MaxAge = Life }, "EntryOptions.FailSafeMaxAge must be at least zero"),
            (new EntryOptions { MaxAgeJitter = -Tick, MaxAge = Life }, "EntryOptions.MaxAgeJitter must be at least zero"),
        ];
        foreach ((EntryOptions options, string name) in wrong)
        {
            ArgumentException error = Assert.ThrowsAny<ArgumentException>(() => _table.GetOrAdd("x", (_, _) => "made", options));
            Assert.StartsWith(name, error.Message, StringComparison.Ordinal);
        }
    }
}
