using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Logging;

namespace BigPile.Concurrency;

/// <summary>
/// Runs work in the background: an exception is logged, counted and reported, and ends neither later runs nor the process.
/// </summary>
/// <remarks>
/// An exception that escapes a timer, a thread pool item or a thread ends the process, so all background work of a pile and its tables is
/// started here. Periodic work goes on after a failure.
/// An exception after the owner is closed is not a failure: such work finds memory, files and locks gone.
/// Thread safety: all members may be called concurrently. The logger is called with no lock held, and may throw.
/// </remarks>
internal sealed class BackgroundWork(ILogger logger, Func<bool> isOver)
{
    private long _failureCount; // written by interlocked operations
    private int _queued; // items that were queued and have not ended
    private BackgroundFailure? _lastFailure;

    /// <summary>How often work in the background has failed.</summary>
    internal long FailureCount => Volatile.Read(ref _failureCount);

    /// <summary>What failed last; <see langword="null"/> when nothing ever did.</summary>
    internal BackgroundFailure? LastFailure => Volatile.Read(ref _lastFailure);

    /// <summary>Whether everything that was queued has ended. For tests.</summary>
    internal bool IsIdle => Volatile.Read(ref _queued) == 0;

    /// <summary>Runs work on the calling thread.</summary>
    /// <param name="name">What it does, as part of a sentence: "the flush by interval".</param>
    /// <param name="work">The work. When it throws, it has released all its locks.</param>
    /// <returns>Whether it succeeded.</returns>
    [SuppressMessage("Design", "CA1031", Justification = "No caller could catch it.")]
    internal bool TryRun(string name, Action work)
    {
        try
        {
            work();
            return true;
        }
        catch (Exception e)
        {
            if (!isOver())
                ReportFailure(name, e);
            return false;
        }
    }

    /// <summary>Runs work once, on a thread of the pool.</summary>
    internal void Queue(string name, Action work)
    {
        Interlocked.Increment(ref _queued);
        ThreadPool.UnsafeQueueUserWorkItem(
            static item => item.Owner.RunQueued(item.Name, item.Work), (Owner: this, Name: name, Work: work), preferLocal: false);
    }

    /// <summary>Runs long work on a thread of its own.</summary>
    /// <returns>Completes when the work has ended; never fails.</returns>
    internal Task Start(string name, Action work) =>
        Task.Factory.StartNew(() => TryRun(name, work), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>Runs work periodically. Runs that become due while one is running are skipped.</summary>
    /// <returns>The timer. Disposing it does not stop a run that is under way.</returns>
    internal ITimer Every(TimeProvider time, TimeSpan period, string name, Action work)
    {
        int isRunning = 0;
        // A run must not inherit the caller's context, such as the activity that started the timer.
        using AsyncFlowControl none = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        return time.CreateTimer(_ => RunAlone(), null, period, period);

        void RunAlone()
        {
            if (Interlocked.Exchange(ref isRunning, 1) != 0)
                return;
            TryRun(name, work);
            Volatile.Write(ref isRunning, 0);
        }
    }

    /// <summary>A timer that queues work each time it ends; it is not running yet.</summary>
    internal ITimer OnDemand(TimeProvider time, string name, Action work)
    {
        using AsyncFlowControl none = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        return time.CreateTimer(_ => Queue(name, work), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Logs, counts and stores an exception.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "A logger that throws is no reason to end the process.")]
    internal void ReportFailure(string name, Exception exception)
    {
        Volatile.Write(ref _lastFailure, new BackgroundFailure(name, exception));
        Interlocked.Increment(ref _failureCount);
        try
        {
            logger.LogError(exception, "Work in the background failed and goes on: {Work}", name);
        }
        catch (Exception)
        {
            // it is counted and stored all the same
        }
    }

    private void RunQueued(string name, Action work)
    {
        _ = TryRun(name, work);
        Interlocked.Decrement(ref _queued);
    }
}

/// <summary>A failure of background work.</summary>
/// <param name="Work">What was done, as part of a sentence.</param>
/// <param name="Exception">What was thrown.</param>
internal sealed record BackgroundFailure(string Work, Exception Exception)
{
    /// <summary>What failed and why, in one line.</summary>
    internal string Message => $"{Work}: {Exception.Message}";
}
