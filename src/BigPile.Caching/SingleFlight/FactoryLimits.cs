using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.SingleFlight;

/// <summary>How many factories and refreshes of a cache run at a time.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
[SuppressMessage("Design", "CA1001", Justification = "The semaphore has no handle. Disposed of, it would never wake who waits.")]
internal sealed class FactoryLimits
{
    /// <summary>Any number of both.</summary>
    internal static readonly FactoryLimits None = new(mostFactories: null, int.MaxValue);

    private readonly SemaphoreSlim? _factories; // null: any number
    private readonly int _mostRefreshes;
    private int _refreshes; // that run

    internal FactoryLimits(int? mostFactories, int mostRefreshes)
    {
        Debug.Assert(mostFactories is null or > 0 && mostRefreshes > 0, "The options were validated.");
        _factories = mostFactories is { } most ? new SemaphoreSlim(most) : null;
        _mostRefreshes = mostRefreshes;
    }

    /// <summary>Waits until the factory of a caller may run.</summary>
    /// <param name="node">The run. One that another factory waits for needs no place of its own: it could never get one.</param>
    /// <param name="cancellation">Cancels the wait.</param>
    /// <param name="blocks">
    /// Whether the wait blocks the thread: that of a caller which would wait for it anyway, and may be one of all threads of the pool.
    /// </param>
    /// <returns>Gives the place back when it is disposed of.</returns>
    internal ValueTask<Place> EnterAsync(FlightNode node, CancellationToken cancellation, bool blocks = false)
    {
        if (_factories == null || node.IsNested)
            return new ValueTask<Place>(default(Place));
        if (_factories.Wait(0, cancellation))
            return new ValueTask<Place>(new Place(_factories));
        return blocks
            ? new ValueTask<Place>(EnterLater(_factories, node, cancellation))
            : EnterLaterAsync(_factories, node, cancellation);
    }

    /// <summary>Takes a place for a refresh in the background, if one is free.</summary>
    internal bool TryBeginRefresh()
    {
        if (Interlocked.Increment(ref _refreshes) <= _mostRefreshes)
            return true;
        EndRefresh();
        return false;
    }

    internal void EndRefresh()
    {
        int left = Interlocked.Decrement(ref _refreshes);
        Debug.Assert(left >= 0, "A refresh ends once.");
    }

    private static Place EnterLater(SemaphoreSlim factories, FlightNode node, CancellationToken cancellation)
    {
        // Not disposed of, as the continuation may come later. It has no timer, and goes with the two that it is linked to.
        var noLonger = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        _ = node.WhenAwaited.ContinueWith(
            static (_, source) => ((CancellationTokenSource)source!).Cancel(), noLonger, CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default); // as below, without a thread of the pool
        try
        {
            factories.Wait(noLonger.Token); // who leaves a place wakes this thread itself, without one of the pool
            return new Place(factories);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return default;
        }
    }

    private static async ValueTask<Place> EnterLaterAsync(SemaphoreSlim factories, FlightNode node, CancellationToken cancellation)
    {
        using var noLonger = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        Task entered = factories.WaitAsync(noLonger.Token);
        if (await Task.WhenAny(entered, node.WhenAwaited).ConfigureAwait(false) != entered)
            await noLonger.CancelAsync().ConfigureAwait(false); // a factory that has a place waits for this one, which needs none then
        try
        {
            await entered.ConfigureAwait(false);
            return new Place(factories);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return default;
        }
    }

    /// <summary>The place of a factory that runs.</summary>
    internal readonly struct Place(SemaphoreSlim factories) : IDisposable
    {
        public void Dispose() => factories?.Release();
    }
}
