using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Factories that end long after their callers have got the stale value.</summary>
public sealed class LateFactoryTests : FailSafeTest
{
    private static readonly TimeSpan Soft = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Throttle = TimeSpan.FromSeconds(2);
    private static readonly EntryOptions Limited = Kept with { FactorySoftTimeout = Soft, FailSafeThrottle = Throttle };

    private readonly TaskCompletionSource _go = new();
    private int _runs;

    private async ValueTask<string> AskAsync(string key, CancellationToken stop)
    {
        Interlocked.Increment(ref _runs);
        await _go.Task;
        return "new";
    }

    private void PutStale()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
    }

    [Fact]
    public async Task One_after_another_may_fail_then_and_the_stale_value_stays()
    {
        PutStale();
        foreach (bool isStated in new[] { false, true })
        {
            var go = new TaskCompletionSource();
            int timers = Time.TimerCount;
            int runs = _runs;
            Task<string> call = Table.GetOrAddAsync("a", async (_, context, _) =>
            {
                Interlocked.Increment(ref _runs);
                await go.Task;
                return isStated ? context.Fail("late") : throw new IOException("late");
            }, Limited).AsTask();
            await Eventually.TrueAsync(() => Time.TimerCount > timers && Volatile.Read(ref _runs) > runs);
            Time.Advance(Soft);
            Assert.Equal("old", await call);
            go.SetResult();
            await Eventually.TrueAsync(() => !Table.Core.Flights.IsAny);
            Assert.Equal("old", await Table.GetOrAddAsync("a", AskAsync, Limited)); // throttled
            Assert.False(Table.ContainsKey("a"));
            Time.Advance(Throttle);
        }
        Assert.Equal(2, _runs);
        Assert.Equal("old", Table.GetOrAdd("a", Throw, Kept));
    }

    [Fact]
    public async Task However_many_leave_it_and_come_again_it_runs_once()
    {
        PutStale();
        for (int round = 0; round < 2; round++)
        {
            int timers = Time.TimerCount;
            Task<string>[] callers = [.. Enumerable.Range(0, 10).Select(_ => Table.GetOrAddAsync("a", AskAsync, Limited).AsTask())];
            await Eventually.TrueAsync(() => Time.TimerCount == timers + callers.Length);
            Time.Advance(Soft);
            Assert.All(await Task.WhenAll(callers), static value => Assert.Equal("old", value));
            Assert.False(Table.ContainsKey("a"));
            Time.Advance(Throttle);
        }
        _go.SetResult();
        await Eventually.TrueAsync(() => Table.ContainsKey("a"));
        Assert.Equal(("new", 1), (Table.Get("a"), _runs));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_hard_limit_that_ends_before_the_soft_one_counts_alone(bool hasStale)
    {
        if (hasStale)
            PutStale();
        int timers = Time.TimerCount;
        Task<string> call = Table.GetOrAddAsync(
            "a", AskAsync, Kept with { FactorySoftTimeout = 20 * Soft, FactoryHardTimeout = Soft }).AsTask();
        await Eventually.TrueAsync(() => Time.TimerCount > timers);
        Time.Advance(Soft);
        if (hasStale)
            Assert.Equal("old", await call);
        else
            await Assert.ThrowsAsync<TimeoutException>(() => call);
    }
}
