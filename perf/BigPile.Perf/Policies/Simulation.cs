using System;
using System.Threading;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Policies;

/// <summary>Sends the accesses of a trace through a policy.</summary>
internal static class Simulation
{
    private const int AccessesBetweenReports = 1 << 16;

    /// <summary>Runs a policy that was made for the trace.</summary>
    /// <returns>The hits.</returns>
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

/// <summary>A policy of eviction, in plain simulation. Thread safety: belongs to one thread.</summary>
internal interface IPolicy
{
    /// <summary>Gets a key, and puts it if it is missing.</summary>
    /// <param name="key">From 0, less than the number of keys that the policy was made for.</param>
    /// <returns>Whether it was a hit.</returns>
    bool Access(int key);

    /// <summary>Checks the policy's invariants.</summary>
    void CheckInvariants();
}

/// <summary>Hits, and the bytes of what was hit.</summary>
internal readonly record struct HitTally(long Accesses, long Hits, long Bytes, long HitBytes)
{
    /// <summary>The share of accesses that found their key.</summary>
    internal double HitPercent => Percent(Hits, Accesses);

    /// <summary>The same of bytes asked for.</summary>
    internal double ByteHitPercent => Percent(HitBytes, Bytes);

    private static double Percent(long part, long whole) => whole == 0 ? 0 : Math.Round(100.0 * part / whole, 3);
}

/// <summary>What each key takes of a capacity.</summary>
/// <param name="weights">By key, each from 1; <see langword="null"/> when each takes 1.</param>
internal readonly struct KeyWeights(long[]? weights)
{
    /// <summary>Each key takes 1: the capacity is a number of keys.</summary>
    internal static KeyWeights Equal => default;

    /// <summary>The weight of a key.</summary>
    internal long Of(int key) => weights == null ? 1 : weights[key];
}
