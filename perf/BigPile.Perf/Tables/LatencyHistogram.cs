using System;
using System.Numerics;

namespace BigPile.Perf.Tables;

/// <summary>Counts times in nanoseconds, in steps of a thirty-second of their size.</summary>
/// <remarks>Thread safety: none; each thread has its own, and they are added up.</remarks>
internal sealed class LatencyHistogram
{
    private const int StepBits = 5;
    private const int Steps = 1 << StepBits;

    private readonly long[] _counts = new long[(64 - StepBits) * Steps];

    internal long Count { get; private set; }

    /// <summary>The longest time.</summary>
    internal long MaxNs { get; private set; }

    internal void Add(long ns)
    {
        _counts[IndexOf(ns)]++;
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
                return Math.Min(MaxNs, UpperEndOf(i));
        }
        return MaxNs;
    }

    private static int IndexOf(long ns)
    {
        int shift = Math.Max(0, BitOperations.Log2((ulong)Math.Max(1, ns)) - StepBits);
        return shift * Steps + (int)(ns >> shift);
    }

    private static long UpperEndOf(int index)
    {
        int shift = Math.Max(0, index / Steps - 1);
        return ((index - (long)shift * Steps + 1) << shift) - 1;
    }
}
