using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Http.Limits;

/// <summary>Limits how much processor-bound work runs concurrently. The rest waits without a thread, first come, first served.</summary>
/// <remarks>
/// Reads run on the same threads. Without this limit, a few dozen decodings, large batches or loads would occupy all of them, and reads
/// that take microseconds would wait for seconds. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="maxConcurrency">The maximum that runs at once; from 1.</param>
internal sealed class ExpensiveWork(int maxConcurrency)
{
    /// <summary>Work on at most so many bytes is not expensive: it takes less than a millisecond.</summary>
    internal const int SmallBytes = 256 * 1024;

    // Never disposed: work may outlive its service, and without its AvailableWaitHandle a semaphore holds no system resource.
    private readonly SemaphoreSlim _turns = new(maxConcurrency, maxConcurrency);
    private int _waitingCount;

    /// <summary>One less than the number of processors; at least 1.</summary>
    internal static ExpensiveWork ForThisMachine() => new(Math.Max(1, Environment.ProcessorCount - 1));

    /// <summary>Free turns; tests check that all are returned.</summary>
    internal int FreeTurns => _turns.CurrentCount;

    /// <summary>The number of waiters, for tests.</summary>
    internal int WaitingCount => Volatile.Read(ref _waitingCount);

    /// <summary>Waits for a turn. The caller leaves it when the work is done, and before it awaits anything.</summary>
    /// <param name="stop">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was canceled.</exception>
    internal async ValueTask<WorkTurn> EnterAsync(CancellationToken stop)
    {
        if (_turns.Wait(0, CancellationToken.None))
            return new WorkTurn(_turns);
        _ = Interlocked.Increment(ref _waitingCount);
        try
        {
            await _turns.WaitAsync(stop).ConfigureAwait(false);
        }
        finally
        {
            _ = Interlocked.Decrement(ref _waitingCount);
        }
        return new WorkTurn(_turns);
    }
}

/// <summary>A turn of <see cref="ExpensiveWork"/>; the default value stands for work that needs none.</summary>
internal readonly struct WorkTurn(SemaphoreSlim? turns) : IDisposable
{
    /// <summary>Gives the turn to the next waiter.</summary>
    public void Dispose() => turns?.Release();
}
