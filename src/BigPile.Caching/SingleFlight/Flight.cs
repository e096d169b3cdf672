using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.SingleFlight;

/// <summary>One run of a factory, and those who wait for it.</summary>
/// <remarks>
/// The run is cancelled when nobody waits any more, and not before. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="node">The run as others wait for it.</param>
internal abstract class Flight(FlightNode node) : IDisposable
{
    private readonly CancellationTokenSource _abandoned = new();
    private readonly Lock _lock = new();
    private int _waiting = 1;
    private FlightTicket? _ticket;

    /// <summary>The run as others wait for it.</summary>
    internal FlightNode Node => node;

    /// <summary>The run as its table sees it, once it has begun.</summary>
    internal FlightTicket? Ticket { get => Volatile.Read(ref _ticket); set => Volatile.Write(ref _ticket, value); }

    /// <summary>Whether the run made its value; else it found one. Known once it has landed.</summary>
    internal bool HasMade => Ticket != null;

    /// <summary>Whether something newer has happened to the key since the run began: who comes now must not join it.</summary>
    internal bool IsOutdated => Ticket is { IsOutdated: true };

    /// <summary>Ends with the run.</summary>
    internal abstract Task Completion { get; }

    /// <summary>What the run gave, once it has landed.</summary>
    internal abstract object? Value { get; }

    /// <summary>Is cancelled when nobody waits any more.</summary>
    internal CancellationToken Abandoned => _abandoned.Token;

    /// <summary>Joins those who wait.</summary>
    /// <returns><see langword="false"/> when they have all gone, and the run with them.</returns>
    internal bool TryJoin()
    {
        lock (_lock)
        {
            if (_waiting == 0)
                return false;
            _waiting++;
            return true;
        }
    }

    /// <summary>Waits until the run has landed.</summary>
    /// <exception cref="TimeoutException">It takes longer than the caller waits, who may be what it waits for.</exception>
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
            await Completion.ConfigureAwait(false); // the factory's own, or it has landed just now
        }
    }

    /// <summary>Leaves those who wait; the last one cancels a run that has not ended.</summary>
    /// <returns>Whether that was the last one.</returns>
    internal bool LeaveAsLast()
    {
        lock (_lock)
        {
            if (--_waiting != 0)
                return false;
        }
        Ticket?.Outdate(); // who comes next begins a run of his own, and the older one must not undo what that keeps
        if (!Completion.IsCompleted)
            _abandoned.Cancel();
        return true;
    }

    public void Dispose() => _abandoned.Dispose();
}

/// <summary>A run that makes values of a type.</summary>
internal sealed class Flight<TValue>(FlightNode node) : Flight(node)
{
    private readonly TaskCompletionSource<TValue> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends with the run.</summary>
    internal Task<TValue> TypedCompletion => _completion.Task;

    internal override Task Completion => _completion.Task;

    internal override object? Value => _completion.Task.Result;

    internal void Complete(TValue value)
    {
        Node.End();
        _completion.TrySetResult(value);
    }

    internal void Fail(Exception exception)
    {
        Node.End();
        if (exception is OperationCanceledException cancelled)
            _completion.TrySetCanceled(cancelled.CancellationToken);
        else
            _completion.TrySetException(exception);
        _ = _completion.Task.Exception; // seen, also when nobody waits any more
    }
}
