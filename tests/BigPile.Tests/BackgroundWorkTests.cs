using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Concurrency;
using BigPile.Tests.Durability;
using Microsoft.Extensions.Logging;

namespace BigPile.Tests;

/// <summary>A failure of background work is logged, counted and reported, and the work goes on.</summary>
public sealed class BackgroundWorkTests
{
    private readonly RecordingLogger _log = new();

    public static TheoryData<Exception> Failures =>
    [
        new UnauthorizedAccessException("no right"),
        new OutOfMemoryException("no memory"),
        new InvalidOperationException("a bug"),
        new OperationCanceledException(),
    ];

    [Theory]
    [MemberData(nameof(Failures))]
    public async Task Whatever_is_thrown_is_counted_and_goes_no_further(Exception thrown)
    {
        var work = new BackgroundWork(_log, static () => false);
        Assert.False(work.TryRun("here", () => throw thrown));
        using var queued = new ManualResetEventSlim();
        work.Queue("on the pool", () =>
        {
            queued.Set();
            throw thrown;
        });
        Assert.True(queued.Wait(Eventually.Timeout));
        Eventually.True(() => work.FailureCount == 2);
        await work.Start("on a thread", () => throw thrown);
        Assert.Equal(3, work.FailureCount);
        Assert.Same(thrown, work.LastFailure!.Exception);
        Assert.Equal($"on a thread: {thrown.Message}", work.LastFailure.Message);
        Assert.Equal(3, _log.Count);
    }

    [Fact]
    public void A_period_goes_on_after_a_failure()
    {
        var work = new BackgroundWork(_log, static () => false);
        var time = new ManualTime();
        int runs = 0;
        using ITimer timer =
            work.Every(time, TimeSpan.FromSeconds(1), "now and then", () => throw new InvalidOperationException($"run {++runs}"));
        for (int i = 0; i < 5; i++)
            time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(5, runs);
        Assert.Equal(5, work.FailureCount);
        Assert.Equal("now and then: run 5", work.LastFailure!.Message);
    }

    [Fact]
    public async Task A_run_that_does_not_end_leaves_the_next_ones_out()
    {
        var work = new BackgroundWork(_log, static () => false);
        var time = new ManualTime();
        using var mayEnd = new ManualResetEventSlim();
        using var began = new ManualResetEventSlim();
        int runs = 0;
        using ITimer timer = work.Every(time, TimeSpan.FromSeconds(1), "long", () =>
        {
            Interlocked.Increment(ref runs);
            began.Set();
            mayEnd.Wait();
        });
        Task first = Task.Factory.StartNew(() => time.Advance(TimeSpan.FromSeconds(1)), TaskCreationOptions.LongRunning);
        Assert.True(began.Wait(Eventually.Timeout));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(1, Volatile.Read(ref runs));
        mayEnd.Set();
        await first;
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(2, runs);
    }

    [Fact]
    public void A_logger_that_throws_changes_nothing()
    {
        _log.Thrown = new InvalidOperationException("the log is full");
        var work = new BackgroundWork(_log, static () => false);
        Assert.False(work.TryRun("here", static () => throw new InvalidOperationException("a bug")));
        Assert.Equal(1, work.FailureCount);
    }

    [Fact]
    public void What_is_thrown_once_the_owner_is_closed_is_no_failure()
    {
        var work = new BackgroundWork(_log, static () => true);
        Assert.False(work.TryRun("here", static () => throw new ObjectDisposedException("the pile")));
        Assert.Equal(0, work.FailureCount);
        Assert.Equal(0, _log.Count);
    }

    /// <summary>Counts the records that it gets.</summary>
    internal sealed class RecordingLogger : ILogger
    {
        private int _count;

        internal Exception? Thrown { get; set; }

        internal int Count => Volatile.Read(ref _count);

        internal Action? Told { get; set; }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            _ = formatter(state, exception);
            Interlocked.Increment(ref _count);
            Told?.Invoke();
            if (Thrown != null)
                throw Thrown;
        }
    }
}
