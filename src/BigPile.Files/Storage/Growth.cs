using System;

namespace BigPile.Files.Storage;

/// <summary>How much room a file takes at a time.</summary>
internal readonly struct Growth(long initialBytes, double factor, long maxBytes)
{
    private const long StepBytes = 64 << 10; // a multiple of any page, and what Windows maps at a time
    private const long MaxAheadBytes = 256 << 20;

    /// <summary>The room to take when some is needed.</summary>
    internal long Next(long capacityBytes, long neededBytes)
    {
        long wanted = (long)Math.Min(capacityBytes * factor, capacityBytes + (double)MaxAheadBytes);
        return Math.Max(Least(neededBytes), Math.Min(RoundUp(Math.Max(Math.Max(wanted, initialBytes), neededBytes)), maxBytes));
    }

    /// <summary>The least that serves, for a disk that does not have more.</summary>
    internal long Least(long neededBytes) => Math.Max(neededBytes, Math.Min(RoundUp(neededBytes), maxBytes));

    private static long RoundUp(long bytes) => bytes > long.MaxValue - StepBytes ? bytes : (bytes + StepBytes - 1) & -StepBytes;
}
