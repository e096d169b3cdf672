using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Policies;

/// <summary>Sends the accesses of a trace through a policy.</summary>
internal static class Simulation
{
    private const int AccessesBetweenReports = 1 << 16;

    /// <summary>Runs a policy that was made for the trace.</summary>
    /// <returns>The hits.</returns>
    /// <exception cref="System.OperationCanceledException">The user stopped it.</exception>
    internal static HitTally Run(IPolicy policy, string phase, Trace trace, ILoadProgress progress, CancellationToken stop)
    {
        int[] accesses = trace.Accesses;
        int[]? sizes = trace.SizesBytes;
        progress.Begin(phase, accesses.Length);
        long hits = 0;
        long bytes = 0;
        long hitBytes = 0;
        for (int i = 0; i < accesses.Length; i++)
        {
            int key = accesses[i];
            long size = sizes == null ? 0 : sizes[key];
            bytes += size;
            if (policy.Access(key))
            {
                hits++;
                hitBytes += size;
            }
            if (i % AccessesBetweenReports != 0)
                continue;
            stop.ThrowIfCancellationRequested();
            progress.Report(i);
        }
        return new HitTally(accesses.Length, hits, bytes, hitBytes);
    }
}
