using System;
using BigPile.Http.Metrics;

namespace BigPile.Perf.Tables;

/// <summary>A histogram of times in nanoseconds, with steps of a thirty-second of their size.</summary>
/// <remarks>Thread safety: none; each thread has its own, and they are added up.</remarks>
internal sealed class LatencyHistogram
{
    private const int StepBits = 5;

    private readonly long[] _counts = new long[(64 - StepBits) << StepBits];

    internal long Count { get; private set; }

    /// <summary>The longest time.</summary>
    internal long MaxNs { get; private set; }

    internal void Add(long ns)
    {
        _counts[LatencyBuckets.IndexOf(ns, StepBits)]++;
        Count++;
        MaxNs = Math.Max(MaxNs, ns);
    }

    internal void Add(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
            _counts[i] += other._counts[i];
        Count += other.Count;
        MaxNs = Math.Max(MaxNs, other.MaxNs);
    }

    /// <summary>The time that a share of all did not exceed, to a thirty-second.</summary>
    internal long Percentile(double share)
    {
        long rank = (long)Math.Ceiling(share * Count);
        long sum = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            sum += _counts[i];
            if (sum >= rank && sum != 0)
                return Math.Min(MaxNs, LatencyBuckets.UpperEndOf(i, StepBits));
        }
        return MaxNs;
    }
}
