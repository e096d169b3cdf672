using System;
using System.Numerics;

namespace BigPile.Hash.Space;

/// <summary>The lengths of rooms: multiples of 8 up to 128 bytes, eight to each doubling up to 64 KiB, and above that of 4 KiB.</summary>
internal static class ExtentClasses
{
    internal const int Count = 88;
    internal const long LargestBytes = 64 << 10;

    private const int SmallBytes = 128;
    private const int SmallLog = 7;
    private const int SmallCount = 16;
    private const int BigStep = 4096;

    /// <summary>The room for some bytes, of which there is at least one.</summary>
    internal static long ExtentBytesFor(long bytes, int alignment)
    {
        long step = bytes <= SmallBytes ? 8 : bytes <= LargestBytes ? 1L << (BitOperations.Log2((ulong)bytes - 1) - 3) : BigStep;
        step = Math.Max(step, alignment);
        return (bytes + step - 1) & -step;
    }

    /// <summary>The class of a room that <see cref="ExtentBytesFor"/> gave, up to <see cref="LargestBytes"/>.</summary>
    internal static int ClassOf(long extentBytes)
    {
        if (extentBytes <= SmallBytes)
            return (int)(extentBytes >> 3) - 1;
        int log = BitOperations.Log2((ulong)extentBytes - 1);
        return SmallCount + (log - SmallLog) * 8 + (int)((extentBytes - (1L << log)) >> (log - 3)) - 1;
    }

    /// <summary>The bytes of a class's rooms.</summary>
    internal static long BytesOf(int extentClass)
    {
        if (extentClass < SmallCount)
            return (extentClass + 1) * 8L;
        int big = extentClass - SmallCount;
        return (8L + (big % 8) + 1) << ((big / 8) + SmallLog - 3);
    }

    /// <summary>Whether a room has a class.</summary>
    internal static bool HasClass(long extentBytes, int alignment) =>
        extentBytes is > 0 and <= LargestBytes && ExtentBytesFor(extentBytes, alignment) == extentBytes;
}
