using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Logging;

namespace BigPile.Concurrency;

/// <summary>
/// Runs work that nobody waits for: what it throws is logged, counted and shown, and ends neither the work nor the process.
/// </summary>
/// <remarks>
/// An exception that leaves a timer, an item of the thread pool or a thread ends the process. So nothing of a pile or its tables is
/// started in the background but through here. A failure says nothing of the next run: a period goes on, whatever was thrown.
/// What is thrown once the owner is closed is no failure: such work meets memory, files and locks that went away.
/// Thread safety: all members may be called concurrently. The logger is called with no lock held, and may throw.
/// </remarks>
internal sealed class BackgroundWork(ILogger logger, Func<bool> isOver)
{
    private long _failureCount;
    private int _queued;
    private BackgroundFailure? _lastFailure;

    /// <summary>How often work in the background has failed.</summary>
    internal long FailureCount => Interlocked.Read(ref _failureCount);

    /// <summary>What failed last; <see langword="null"/> when nothing ever did.</summary>
    internal BackgroundFailure? LastFailure => Volatile.Read(ref _lastFailure);

    /// <summary>Whether everything that was queued has ended. For tests.</summary>
    internal bool IsIdle => Volatile.Read(ref _queued) == 0;

    /// <summary>Runs a piece of work on the calling thread.</summary>
    /// <param name="name">What it does, as a part of a sentence: "the flush by interval".</param>
    /// <param name="work">The work. It holds no lock when it throws that it took.</param>
    /// <returns>Whether it ended well.</returns>
    [SuppressMessage("Design", "CA1031", Justification = "Whatever it is: nobody is there to catch it.")]
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

    /// <summary>Runs a piece of work once, on a thread of the pool.</summary>
    internal void Queue(string name, Action work)
    {
        Interlocked.Increment(ref _queued);
        ThreadPool.UnsafeQueueUserWorkItem(
            static item => item.Owner.RunQueued(item.Name, item.Work), (Owner: this, Name: name, Work: work), preferLocal: false);
    }

    /// <summary>Runs a long piece of work on a thread of its own.</summary>
    /// <returns>Ends when the work has; it never fails.</returns>
    internal Task Start(string name, Action work) =>
        Task.Factory.StartNew(() => TryRun(name, work), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>Runs a piece of work again and again. A run that takes longer than the period makes the next ones be left out.</summary>
    /// <returns>The timer; a run that is under way when it is disposed goes on.</returns>
    internal ITimer Every(TimeProvider time, TimeSpan period, string name, Action work)
    {
        int isRunning = 0;
        // A run is no part of what the caller does, such as an activity that began the timer.
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

    /// <summary>Logs, counts and shows what was thrown.</summary>
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
            // it is counted and shown all the same
        }
    }

    private void RunQueued(string name, Action work)
    {
        _ = TryRun(name, work);
        Interlocked.Decrement(ref _queued);
    }
}
