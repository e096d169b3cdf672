using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What a cancelled call leaves behind for others.</summary>
public sealed class AbandonedFactoryTests : FailSafeTest
{
    private static readonly EntryOptions Throttled = Kept with { FailSafeThrottle = TimeSpan.FromSeconds(30) };

    private readonly TaskCompletionSource _never = new();
    private int _made;

    private ValueTask<string> MakeAsync(string key, CancellationToken stop)
    {
        _made++;
        return new ValueTask<string>("new");
    }

    /// <summary>The factory obeys, or fails in its own way, as a database driver does.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_caller_that_goes_says_nothing_against_the_source(bool failsInItsWay)
    {
        Table.Put("a", "old", Throttled);
        Time.Advance(Life);
        using var source = new CancellationTokenSource();
        var ended = new TaskCompletionSource();
        Task<string> call = Table.GetOrAddAsync("a", async (_, stop) =>
        {
            await _never.Task.WaitAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            ended.SetResult();
            throw failsInItsWay ? new IOException("The query was cancelled.") : new OperationCanceledException(stop);
        }, Throttled, source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await ended.Task.WaitAsync(Eventually.Timeout);
        Assert.Equal("new", await Table.GetOrAddAsync("a", MakeAsync, Throttled));
        Assert.Equal(1, _made);
    }

    /// <summary>A run that gets its ticket just then has no token that is cancelled yet.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_run_that_all_have_left_keeps_nothing_whenever_it_began(bool hasBegun)
    {
        using var flight = new Flight<string>(new FlightNode("a", "t"));
        var ticket = new FlightTicket(id: 1, hash: 2, startVersion: 3, tags: []);
        if (hasBegun)
            flight.Ticket = ticket;
        Assert.False(flight.IsOutdated);
        Assert.True(flight.LeaveAsLast());
        flight.Ticket = ticket;
        Assert.True(flight.IsOutdated);
    }

    [Fact]
    public async Task Nor_does_the_caller_of_many()
    {
        Table.Put("a", "old", Throttled);
        Time.Advance(Life);
        using var source = new CancellationTokenSource();
        var ended = new TaskCompletionSource();
        Task<IReadOnlyDictionary<string, string>> call = Table.GetOrAddManyAsync(["a", "b"], async (_, stop) =>
        {
            await _never.Task.WaitAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            ended.SetResult();
            throw new OperationCanceledException(stop);
        }, Throttled, source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await ended.Task.WaitAsync(Eventually.Timeout);
        Assert.Equal("new", await Table.GetOrAddAsync("a", MakeAsync, Throttled));
    }

    /// <summary>As an HTTP client's timeout is one.</summary>
    [Fact]
    public async Task A_cancellation_of_the_factorys_own_is_passed_on_as_it_is()
    {
        var own = new TaskCanceledException("The request took too long.", new TimeoutException());
        Exception thrown = await Assert.ThrowsAsync<TaskCanceledException>(
            async () => await Table.GetOrAddAsync("a", (_, _) => ValueTask.FromException<string>(own)));
        Assert.Same(own, thrown);
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        MadeValue<string> made = await Table.GetOrAddEntryAsync("a", (_, _, _) => ValueTask.FromException<string>(own), Kept);
        Assert.Equal((ValueOrigin.Stale, own), (made.Origin, made.Failure));
    }

    [Fact]
    public void No_failure_of_a_factory_for_many_is_left_unobserved()
    {
        int unobserved = 0;
        void Count(object? sender, UnobservedTaskExceptionEventArgs e)
        {
            if (e.Exception.ToString().Contains(nameof(No_failure_of_a_factory_for_many_is_left_unobserved), StringComparison.Ordinal))
                Interlocked.Increment(ref unobserved);
        }
        TaskScheduler.UnobservedTaskException += Count;
        try
        {
            for (int i = 0; i < 10; i++)
            {
                Assert.Throws<IOException>(() => Table.GetOrAddMany(
                    ["a", "b"],
                    static _ => throw new IOException(nameof(No_failure_of_a_factory_for_many_is_left_unobserved))));
            }
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Assert.Equal(0, unobserved);
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= Count;
        }
    }
}
