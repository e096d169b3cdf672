using System;
using System.Diagnostics;
using System.Numerics;

namespace BigPile.Hash.Space;

/// <summary>
/// The size classes of extents: multiples of 8 up to 128 bytes, eight per doubling up to 64 KiB; above that, multiples of 4 KiB.
/// </summary>
internal static class ExtentClasses
{
    internal const int Count = 88;
    internal const long LargestBytes = 64 << 10;

    private const int SmallBytes = 128;
    private const int SmallLog = 7;
    private const int SmallCount = 16;
    private const int BigStep = 4096;

    /// <summary>The extent length for a number of bytes, at least 1.</summary>
    internal static long ExtentBytesFor(long bytes, int alignment)
    {
        Debug.Assert(bytes > 0, "Nothing has no extent.");
        long step = bytes <= SmallBytes ? 8 : bytes <= LargestBytes ? 1L << (BitOperations.Log2((ulong)bytes - 1) - 3) : BigStep;
        step = Math.Max(step, alignment);
        return (bytes + step - 1) & -step;
    }

    /// <summary>The class of an extent length of at most <see cref="LargestBytes"/>, as <see cref="ExtentBytesFor"/> returns it.</summary>
    internal static int ClassOf(long extentBytes)
    {
        int extentClass = (int)(extentBytes >> 3) - 1;
        if (extentBytes > SmallBytes)
        {
            int log = BitOperations.Log2((ulong)extentBytes - 1);
            extentClass = SmallCount + (log - SmallLog) * 8 + (int)((extentBytes - (1L << log)) >> (log - 3)) - 1;
        }
        Debug.Assert(BytesOf(extentClass) == extentBytes, "The length is that of its class.");
        return extentClass;
    }

    internal static long BytesOf(int extentClass)
    {
        Debug.Assert((uint)extentClass < Count, "The class is one of them.");
        if (extentClass < SmallCount)
            return (extentClass + 1) * 8L;
        int big = extentClass - SmallCount;
        return (8L + (big % 8) + 1) << ((big / 8) + SmallLog - 3);
    }

    internal static bool HasClass(long extentBytes, int alignment) =>
        extentBytes is > 0 and <= LargestBytes && ExtentBytesFor(extentBytes, alignment) == extentBytes;
}
