using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.SingleFlight;

/// <summary>One run of a factory, and the callers that wait for it (a single flight, as in Go's singleflight).</summary>
/// <remarks>
/// The run is cancelled when no caller waits any more, and not before. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="node">The run as a node of the wait graph.</param>
/// <param name="isRefresh">Whether it runs for nobody, ahead of an expiry.</param>
internal abstract class Flight(FlightNode node, bool isRefresh) : IDisposable
{
    private readonly CancellationTokenSource _abandoned = new(); // cancelled by the last caller that leaves
    private readonly Lock _lock = new(); // for a few instructions

    /// <summary>Callers that wait. Guarded by <see cref="_lock"/>.</summary>
    private int _waiting = 1;
    private FlightTicket? _ticket; // set once, by the run; under _lock

    /// <summary>The run as a node of the wait graph.</summary>
    internal FlightNode Node => node;

    /// <summary>The ticket by which the table outdates the run; null until it has begun. It is outdated once all have left.</summary>
    internal FlightTicket? Ticket
    {
        get => Volatile.Read(ref _ticket);
        set
        {
            lock (_lock) // the last caller leaves before, and is seen here; or behind, and sees the ticket
            {
                Volatile.Write(ref _ticket, value);
                if (_waiting == 0)
                    value?.Outdate();
            }
        }
    }

    /// <summary>Whether the factory made the value; else the run found one in the table. Valid after completion.</summary>
    internal bool HasMade => Ticket != null && !IsAbsent;

    /// <summary>Whether a factory for many keys has no value for this one. Set before completion.</summary>
    internal bool IsAbsent { get; private set; }

    /// <summary>
    /// Whether it was outdated before its callers could know: those who joined may have come after that. Set before completion.
    /// </summary>
    internal bool WasOutdatedUnseen { get; private set; }

    /// <summary>Whether it was the factory that failed, and not the table. Set before completion.</summary>
    internal bool HasFactoryFailed { get; private set; }

    /// <summary>Whether it runs for nobody, ahead of an expiry.</summary>
    internal bool IsRefresh => isRefresh;

    /// <summary>States that a factory for many keys has no value for this one.</summary>
    internal void MarkAbsent() => IsAbsent = true;

    /// <summary>States that it was outdated before its callers could know.</summary>
    internal void MarkOutdatedUnseen() => WasOutdatedUnseen = true;

    /// <summary>States that it was the factory that failed.</summary>
    internal void MarkFactoryFailed() => HasFactoryFailed = true;

    /// <summary>Whether something newer happened to the key since the run began: later callers must not join.</summary>
    internal bool IsOutdated => Ticket is { IsOutdated: true };

    /// <summary>Completes with the run.</summary>
    internal abstract Task Completion { get; }

    /// <summary>The value of the run, after completion.</summary>
    internal abstract object? Value { get; }

    /// <summary>Cancelled when no caller waits any more.</summary>
    internal CancellationToken Abandoned => _abandoned.Token;

    /// <summary>Whether nobody waits for what it makes: then how the factory ends says nothing about its source.</summary>
    internal bool IsAbandoned => !isRefresh && Abandoned.IsCancellationRequested;

    /// <summary>Joins the waiting callers.</summary>
    /// <returns><see langword="false"/> when all have left, and the run is cancelled.</returns>
    internal bool TryJoin()
    {
        lock (_lock)
        {
            if (_waiting == 0) // for good: a cancelled run is not revived
                return false;
            _waiting++;
            return true;
        }
    }

    /// <summary>Waits for the run.</summary>
    /// <exception cref="TimeoutException">The timeout has passed; the run may be waiting for this very caller.</exception>
    internal async Task WaitAsync(FlightTimeout timeout, CancellationToken cancellation)
    {
        try
        {
            await Completion.WaitAsync(timeout.Limit, timeout.Time, cancellation).ConfigureAwait(false);
        }
        catch (TimeoutException) when (!Completion.IsCompleted)
        {
            throw node.TakesTooLong(timeout.Limit);
        }
        catch (TimeoutException)
        {
            await Completion.ConfigureAwait(false); // the factory's own timeout, or it completed just now
        }
    }

    /// <summary>Leaves the waiting callers. The last one cancels a run that has not completed.</summary>
    /// <returns>Whether it was the last one.</returns>
    internal bool LeaveAsLast()
    {
        lock (_lock)
        {
            if (--_waiting != 0)
                return false;
            Ticket?.Outdate(); // the next caller begins a new run, whose value this one must not overwrite
        }
        if (!Completion.IsCompleted)
            // On another thread: what the application does at a cancellation may block or throw, and is no concern of who leaves.
            _ = _abandoned.CancelAsync();
        return true;
    }

    public void Dispose() => _abandoned.Dispose();
}

/// <summary>A run with values of one type.</summary>
internal sealed class Flight<TValue>(FlightNode node, bool isRefresh = false) : Flight(node, isRefresh)
{
    private readonly TaskCompletionSource<TValue> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes with the run.</summary>
    internal Task<TValue> TypedCompletion => _completion.Task;

    internal override Task Completion => _completion.Task;

    internal override object? Value => _completion.Task.Result;

    internal void Complete(TValue value)
    {
        Node.End(); // before its waiters go on: they wait for this run no more
        _completion.TrySetResult(value);
    }

    internal void Fail(Exception exception)
    {
        Node.End();
        _completion.TrySetException(exception); // a cancellation as well: as a cancelled task it would lose its type, message and cause
        _ = _completion.Task.Exception; // observed, even without waiting callers
    }
}

/// <summary>How long a caller waits for another caller's run.</summary>
/// <param name="Limit">The time limit, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
/// <param name="Time">The clock.</param>
internal readonly record struct FlightTimeout(TimeSpan Limit, TimeProvider Time)
{
    /// <summary>The timeout of the caller that began the run: none.</summary>
    internal static FlightTimeout Infinite => new(Timeout.InfiniteTimeSpan, TimeProvider.System);

    /// <summary>Whether a time ends before a limit, which may be infinite.</summary>
    internal static bool IsBelow(TimeSpan time, TimeSpan limit) => limit == Timeout.InfiniteTimeSpan || time < limit;

    /// <summary>What is left of a limit, which may be infinite, when some of it is past.</summary>
    internal static TimeSpan LeftOf(TimeSpan limit, TimeSpan past) => limit == Timeout.InfiniteTimeSpan ? limit : limit - past;

    /// <summary>Waits for the end of a run, with a value or a failure.</summary>
    /// <returns><see langword="false"/> when the time is over.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    internal async ValueTask<bool> IsMetByAsync(Task run, CancellationToken cancellation)
    {
        if (!run.IsCompleted)
            await run.WaitAsync(Limit, Time, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (run.IsCompleted)
            return true;
        cancellation.ThrowIfCancellationRequested();
        return false;
    }
}
