using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tables;

/// <summary>Distributes the accesses of a trace to threads in small batches, in the order of the trace.</summary>
internal sealed class TraceDealer(Trace trace, int threads)
{
    private const int BatchAccesses = 64;

    private readonly HitTally[] _tallies = new HitTally[threads];
    private int _next;

    /// <summary>Replays the accesses from one number up to another.</summary>
    /// <returns>The hits.</returns>
    internal delegate HitTally ReplayBatch(int start, int end);

    /// <summary>Replays all accesses on the threads.</summary>
    /// <returns>The hits, and the seconds that it took.</returns>
    /// <exception cref="System.OperationCanceledException">The user stopped it.</exception>
    internal (HitTally Hits, double Seconds) Run(ReplayBatch replayBatch, ILoadProgress progress, CancellationToken stop)
    {
        using var team = new WorkerTeam(Worker.Divide(trace.Accesses.Length, threads), BatchAccesses, progress, stop);
        double seconds = team.Run("table", (worker, start, end) => Take(replayBatch, worker.Index, end - start));
        return (_tallies.Aggregate(Sum), seconds);
    }

    // A worker's own numbers only say how many accesses to take; which ones is decided at its turn.
    private void Take(ReplayBatch replayBatch, int worker, int count)
    {
        int end = Interlocked.Add(ref _next, count);
        _tallies[worker] = Sum(_tallies[worker], replayBatch(end - count, end));
    }

    private static HitTally Sum(HitTally one, HitTally other) =>
        new(one.Accesses + other.Accesses, one.Hits + other.Hits, one.Bytes + other.Bytes, one.HitBytes + other.HitBytes);
}
