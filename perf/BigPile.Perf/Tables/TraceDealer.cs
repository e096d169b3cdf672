using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tables;

/// <summary>Deals the accesses of a trace out to threads in small pieces, in the order of the trace.</summary>
internal sealed class TraceDealer(Trace trace, int threads)
{
    private const int BatchAccesses = 64;

    private readonly HitTally[] _tallies = new HitTally[threads];
    private int _next;

    /// <summary>Does something with the accesses from one number up to another one.</summary>
    /// <returns>The hits.</returns>
    internal delegate HitTally ReplayBatch(int start, int end);

    /// <summary>Has the threads go through all accesses.</summary>
    /// <returns>The hits, and the seconds that it took.</returns>
    /// <exception cref="System.OperationCanceledException">The user stopped it.</exception>
    internal (HitTally Hits, double Seconds) Run(ReplayBatch replayBatch, ILoadProgress progress, CancellationToken stop)
    {
        using var team = new WorkerTeam(Worker.Divide(trace.Accesses.Length, threads), BatchAccesses, progress, stop);
        double seconds = team.Run("table", (worker, start, end) => Take(replayBatch, worker.Index, end - start));
        return (_tallies.Aggregate(Sum), seconds);
    }

    // The worker's own numbers only say how many accesses are its: which, is decided when their turn comes.
    private void Take(ReplayBatch replayBatch, int worker, int count)
    {
        int end = Interlocked.Add(ref _next, count);
        _tallies[worker] = Sum(_tallies[worker], replayBatch(end - count, end));
    }

    private static HitTally Sum(HitTally one, HitTally other) =>
        new(one.Accesses + other.Accesses, one.Hits + other.Hits, one.Bytes + other.Bytes, one.HitBytes + other.HitBytes);
}
