using System;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace BigPile.Http.Metrics;

/// <summary>
/// Log-linear histogram buckets, each of the same relative precision: two to the power of <c>stepBits</c> buckets per doubling. The load
/// console compiles this file too, and so uses the same ones.
/// </summary>
internal static class LatencyBuckets
{
    /// <summary>The bucket of a non-negative time.</summary>
    /// <remarks>
    /// Below the first doubling each nanosecond has its own bucket; above, the bits after the leading one choose the bucket.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(long nanoseconds, int stepBits)
    {
        int shift = Math.Max(0, BitOperations.Log2((ulong)nanoseconds) - stepBits);
        return (shift << stepBits) + (int)(nanoseconds >> shift);
    }

    /// <summary>The longest time that falls into a bucket, in nanoseconds.</summary>
    internal static long UpperEndOf(int index, int stepBits)
    {
        int shift = Math.Max(0, (index >> stepBits) - 1);
        return ((index - ((long)shift << stepBits) + 1) << shift) - 1;
    }
}
