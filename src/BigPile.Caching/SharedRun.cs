using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching;

/// <summary>
/// One run of an asynchronous function for all callers who wait for its result, as <c>GetOrAddAsync</c> runs a factory: for a cache in
/// front of a table, which keeps its runs by key.
/// </summary>
/// <remarks>
/// The run is cancelled when no caller waits any more, and not before. A wait that could never end, since the run itself waits for the
/// caller, is refused, also when factories of tables are between the two. The caller who made the run counts as waiting from the
/// beginning, and calls <see cref="RunAsync"/>. Thread safety: all members may be called concurrently.
/// </remarks>
/// <typeparam name="TResult">The type of the result.</typeparam>
[SuppressMessage("Design", "CA1001", Justification = "The source of cancellation has no timer and no handle: nothing is left to free.")]
public sealed class SharedRun<TResult>
{
    private readonly Flight<TResult> _flight;
    private readonly FlightTimeout _timeout;
    private Action? _ended; // set before anyone can be the last to leave

    /// <summary>Makes a run that has not begun.</summary>
    /// <param name="table">The table, for its name in messages, and its <see cref="PileCacheOptions.FactoryPatience"/>.</param>
    /// <param name="key">The key, for messages.</param>
    public SharedRun(CacheTable table, object key)
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(key);
        _flight = new Flight<TResult>(new FlightNode(key, table.Name));
        _timeout = table.Core.FlightTimeout;
    }

    /// <summary>Begins the run, and waits for its result. Once.</summary>
    /// <param name="function">What it does; its token is cancelled when no caller waits any more.</param>
    /// <param name="ended">
    /// Called before the result is there, and when the last caller leaves: no more callers should join. What it throws is the result.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait of this caller.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled, or the function was.</exception>
    public async Task<TResult> RunAsync(
        Func<CancellationToken, ValueTask<TResult>> function, Action ended, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        ArgumentNullException.ThrowIfNull(ended);
        _ended = ended;
        using FlightNode.Wait wait = _flight.Node.BeginWait();
        _ = CompleteAsync(function, ended);
        return await WaitAsync(FlightTimeout.Infinite, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Joins the callers who wait.</summary>
    /// <param name="result">
    /// The result, or the exception of the function; <see cref="TimeoutException"/> after the patience of the cache.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait of this caller.</param>
    /// <returns><see langword="false"/> when all have left, and the run is cancelled.</returns>
    /// <exception cref="InvalidOperationException">The caller is a factory that this run waits for.</exception>
    public bool TryJoin([NotNullWhen(true)] out Task<TResult>? result, CancellationToken cancellationToken)
    {
        FlightNode.Wait wait = _flight.Node.BeginWait();
        bool isJoined = _flight.TryJoin();
        if (!isJoined)
            wait.Dispose();
        result = isJoined ? JoinedAsync(wait, cancellationToken) : null;
        return isJoined;
    }

    private async Task<TResult> JoinedAsync(FlightNode.Wait wait, CancellationToken cancellationToken)
    {
        using (wait)
            return await WaitAsync(_timeout, cancellationToken).ConfigureAwait(false);
    }

    private async Task<TResult> WaitAsync(FlightTimeout timeout, CancellationToken cancellationToken)
    {
        try
        {
            await _flight.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
            return await _flight.TypedCompletion.ConfigureAwait(false);
        }
        finally
        {
            if (_flight.LeaveAsLast())
                _ended!();
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "The waiters get the exception.")]
    private async Task CompleteAsync(Func<CancellationToken, ValueTask<TResult>> function, Action ended)
    {
        _flight.Node.Enter(); // until this method ends
        try
        {
            TResult result;
            try
            {
                result = await function(_flight.Abandoned).ConfigureAwait(false);
            }
            finally
            {
                ended();
            }
            _flight.Complete(result);
        }
        catch (Exception e)
        {
            _flight.Fail(e);
        }
    }
}
