using System;
using System.Diagnostics;

namespace BigPile.Files.Storage;

/// <summary>How much disk space a file allocates at a time.</summary>
internal readonly struct Growth(long initialBytes, double factor, long maxBytes)
{
    private const long StepBytes = 64 << 10; // a multiple of any page size, and the mapping granularity of Windows
    private const long MaxAheadBytes = 256 << 20;

    internal long Next(long capacityBytes, long neededBytes)
    {
        Debug.Assert(neededBytes > capacityBytes && neededBytes <= maxBytes, "The file must grow, and may.");
        long wanted = (long)Math.Min(capacityBytes * factor, capacityBytes + (double)MaxAheadBytes);
        return Math.Max(Least(neededBytes), Math.Min(RoundUp(Math.Max(Math.Max(wanted, initialBytes), neededBytes)), maxBytes));
    }

    /// <summary>The least sufficient capacity, for a nearly full disk.</summary>
    internal long Least(long neededBytes) => Math.Max(neededBytes, Math.Min(RoundUp(neededBytes), maxBytes));

    private static long RoundUp(long bytes) => bytes > long.MaxValue - StepBytes ? bytes : (bytes + StepBytes - 1) & -StepBytes;
}
