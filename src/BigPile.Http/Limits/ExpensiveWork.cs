using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Http.Limits;

/// <summary>
/// Lets only so much work run at once that keeps a processor busy for long; the rest waits without a thread, in the order in which it came.
/// </summary>
/// <remarks>
/// Reads are answered by the same threads: without a turn for decoding, big batches and loads, a few dozen of them would keep all threads,
/// and reads that take microseconds would wait for seconds. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="maxConcurrency">The most works at once; from 1.</param>
internal sealed class ExpensiveWork(int maxConcurrency)
{
    /// <summary>Work on so many bytes is no dear work: it takes less than a millisecond.</summary>
    internal const int SmallBytes = 256 * 1024;

    // Never disposed: work may outlive the service that it was for, and nothing of the system's is kept as long as no handle is asked for.
    private readonly SemaphoreSlim _turns = new(maxConcurrency, maxConcurrency);
    private int _waitingCount;

    /// <summary>As many works as leave one processor to everything else.</summary>
    internal static ExpensiveWork ForThisMachine() => new(Math.Max(1, Environment.ProcessorCount - 1));

    /// <summary>How many works could begin at once; tests look that all turns come back.</summary>
    internal int FreeTurns => _turns.CurrentCount;

    /// <summary>How many wait for their turn, which tests wait for.</summary>
    internal int WaitingCount => Volatile.Read(ref _waitingCount);

    /// <summary>Waits for a turn, which is to be left when the work is done, and before anything is waited for.</summary>
    /// <param name="stop">Ends the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was ended.</exception>
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
