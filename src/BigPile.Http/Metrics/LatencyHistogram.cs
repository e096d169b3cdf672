using System;
using System.Numerics;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>Counts how long things took, in sixteen steps to a doubling: a quantile is at most 6.25 % too high.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class LatencyHistogram
{
    private const int StepBits = 4;
    private const int Steps = 1 << StepBits;
    private const int BucketCount = (40 - StepBits + 1) * Steps; // up to 2^40 ns, which is 18 minutes

    private readonly long[] _counts = new long[BucketCount];

    internal void Add(long nanoseconds) => Interlocked.Increment(ref _counts[BucketOf(nanoseconds)]);

    /// <summary>What was counted since the last time, which begins anew; <see langword="null"/> when that was nothing.</summary>
    internal LatencyReport? Take()
    {
        var counts = new long[BucketCount];
        long total = 0;
        for (int i = 0; i < BucketCount; i++)
            total += counts[i] = Interlocked.Exchange(ref _counts[i], 0);
        if (total == 0)
            return null;
        return new LatencyReport(total, At(counts, total, 0.5), At(counts, total, 0.9), At(counts, total, 0.99), At(counts, total, 1));
    }

    private static double At(long[] counts, long total, double share)
    {
        long rank = Math.Max(1, (long)Math.Ceiling(total * share));
        int bucket = 0;
        for (long seen = counts[0]; seen < rank;)
            seen += counts[++bucket];
        return EndOf(bucket) / 1000.0;
    }

    // Below 16 each nanosecond has a bucket; above, the leading bit chooses the row, and the four bits behind it the step.
    private static int BucketOf(long nanoseconds)
    {
        if (nanoseconds < Steps)
            return (int)Math.Max(0, nanoseconds);
        int exponent = BitOperations.Log2((ulong)nanoseconds);
        int row = exponent - StepBits + 1;
        int step = (int)(nanoseconds >> (exponent - StepBits)) & (Steps - 1);
        return Math.Min(row * Steps + step, BucketCount - 1);
    }

    private static long EndOf(int bucket)
    {
        int row = bucket / Steps;
        long step = bucket % Steps;
        return row == 0 ? step : ((Steps + step + 1) << (row - 1)) - 1;
    }
}
