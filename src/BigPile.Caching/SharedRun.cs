using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Clocks;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Tables;

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
    private const ulong HashFactor = 0x9E3779B97F4A7C15; // golden ratio: Knuth, TAOCP 6.4

    private readonly CacheTable _table;
    private readonly object _key;
    private readonly Flight<TResult> _flight;
    private readonly FlightTimeout _timeout;
    private readonly bool _isOneCall;
    private Action? _ended; // set before anyone can be the last to leave
    private bool _isRefresh; // set before the run begins

    /// <summary>Makes a run that has not begun.</summary>
    /// <param name="table">The table, whose cache's limits hold for factories and waits, and whose name is in messages.</param>
    /// <param name="key">The key, for messages.</param>
    /// <param name="isOneCall">
    /// Whether those who join are parts of the call that made the run, and so wait as long as it takes; others wait for the
    /// <see cref="PileCacheOptions.FactoryPatience"/> of the cache.
    /// </param>
    public SharedRun(CacheTable table, object key, bool isOneCall = false)
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(key);
        _table = table;
        _key = key;
        _flight = new Flight<TResult>(new FlightNode(key, table.Name));
        _isOneCall = isOneCall;
        _timeout = isOneCall ? FlightTimeout.Infinite : table.Core.FlightTimeout;
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

    /// <summary>Begins the run for nobody, ahead of an expiry, on another thread. Once.</summary>
    /// <remarks>
    /// After a failure a refresh of the key is not begun again for the <see cref="TableOptions.FailSafeThrottle"/> of the table.
    /// </remarks>
    /// <param name="publish">
    /// Called when it may begin: lets callers join it from now on. <see langword="false"/>: another run was there before.
    /// </param>
    /// <param name="function">What it does; its token is cancelled when no caller waits any more.</param>
    /// <param name="ended">Called before the result is there: no more callers should join. What it throws is the result.</param>
    /// <returns>
    /// <see langword="false"/> where <see cref="PileCacheOptions.MaxRefreshes"/> run, one of the key failed a short time ago, or it was not
    /// published: nothing was begun, and <paramref name="ended"/> is not called.
    /// </returns>
    public bool TryRefresh(Func<bool> publish, Func<CancellationToken, ValueTask<TResult>> function, Action ended)
    {
        ArgumentNullException.ThrowIfNull(publish);
        ArgumentNullException.ThrowIfNull(function);
        ArgumentNullException.ThrowIfNull(ended);
        TableFactories factories = _table.Core.Factories;
        ulong hash = (uint)_key.GetHashCode() * HashFactor; // not the table's: what fails here is no factory of the table
        if (factories.Failures.IsThrottled(hash, _table.Core.Clock.Now) || !factories.Limits.TryBeginRefresh())
            return false;
        _ended = ended;
        _isRefresh = true;
        bool isPublished = false;
        try
        {
            isPublished = publish();
        }
        finally
        {
            if (!isPublished)
                factories.Limits.EndRefresh();
        }
        if (isPublished)
            _ = Task.Run(() => RefreshAsync(function, ended, hash));
        return isPublished;
    }

    /// <summary>Runs a factory within the run's function.</summary>
    /// <remarks>
    /// It waits while <see cref="PileCacheOptions.MaxFactories"/> run, is counted in <see cref="CacheTelemetry.FactoryDuration"/>, and is
    /// an activity. A refresh needs no further place.
    /// </remarks>
    /// <param name="factory">The factory.</param>
    /// <param name="cancellationToken">Cancels the wait for a place, and is the factory's.</param>
    /// <returns>What the factory returns.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<TValue> RunFactoryAsync<TValue>(
        Func<CancellationToken, ValueTask<TValue>> factory, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return _table.Core.Factories.RunAsync(factory, _flight.Node, _isRefresh, blocks: false, cancellationToken);
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
        FlightNode.Wait wait = _flight.Node.BeginWait(byFactory: !_isOneCall);
        bool isJoined = _flight.TryJoin();
        if (!isJoined)
            wait.Dispose();
        result = isJoined ? JoinedAsync(wait, cancellationToken) : null;
        return isJoined;
    }

    private async Task RefreshAsync(Func<CancellationToken, ValueTask<TResult>> function, Action ended, ulong hash)
    {
        Debug.Assert(_isRefresh && _ended != null, "It has a place among the refreshes, and was published.");
        TableFactories factories = _table.Core.Factories;
        await CompleteAsync(function, ended).ConfigureAwait(false);
        factories.Limits.EndRefresh();
        if (_flight.Completion.IsCompletedSuccessfully)
            factories.Failures.Clear(hash);
        else if (_table.Options.FailSafeThrottle > TimeSpan.Zero)
            factories.Failures.Set(hash, CacheClock.Add(_table.Core.Clock.Now, _table.Options.FailSafeThrottle.Ticks));
        _ = _flight.LeaveAsLast(); // in the place of a caller
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
