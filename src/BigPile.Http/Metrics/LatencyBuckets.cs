using System;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace BigPile.Http.Metrics;

/// <summary>
/// Where a time is counted: in buckets that grow with it, so that each is as exact as the others in proportion. To a doubling there are
/// as many as two to the power of <c>stepBits</c>. The load console counts in the same ones, by this file.
/// </summary>
internal static class LatencyBuckets
{
    /// <summary>The bucket of a time that is not negative.</summary>
    /// <remarks>Below the first doubling each nanosecond has one; above, the bits behind the leading one choose it.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(long nanoseconds, int stepBits)
    {
        int shift = Math.Max(0, BitOperations.Log2((ulong)nanoseconds) - stepBits);
        return (shift << stepBits) + (int)(nanoseconds >> shift);
    }

    /// <summary>The longest time that a bucket counts.</summary>
    internal static long UpperEndOf(int index, int stepBits)
    {
        int shift = Math.Max(0, (index >> stepBits) - 1);
        return ((index - ((long)shift << stepBits) + 1) << shift) - 1;
    }
}
