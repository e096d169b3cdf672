using System;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>
/// A histogram of latencies since the last <see cref="Take"/>, with sixteen buckets per doubling: a quantile is at most 6.25 % too high.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class LatencyRecorder
{
    private const int StepBits = 4;
    private const int BucketCount = (40 - StepBits + 1) << StepBits; // up to 2^40 ns, or 18 minutes

    private readonly long[] _counts = new long[BucketCount];

    internal void Add(long nanoseconds) =>
        Interlocked.Increment(ref _counts[Math.Min(LatencyBuckets.IndexOf(Math.Max(0, nanoseconds), StepBits), BucketCount - 1)]);

    /// <summary>The latencies since the last call, which resets them; <see langword="null"/> if there were none.</summary>
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
        return LatencyBuckets.UpperEndOf(bucket, StepBits) / 1000.0;
    }
}

/// <summary>The service's own part of request latency, in microseconds: from the parsed head to the answer in the output buffer.</summary>
/// <param name="Count">Requests that were timed.</param>
/// <param name="P50Us">The median.</param>
/// <param name="P90Us">The 90th percentile.</param>
/// <param name="P99Us">The 99th percentile.</param>
/// <param name="MaxUs">The maximum.</param>
internal sealed record LatencyReport(long Count, double P50Us, double P90Us, double P99Us, double MaxUs);
