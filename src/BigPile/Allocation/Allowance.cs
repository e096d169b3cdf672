using System;
using System.Threading;

namespace BigPile.Allocation;

/// <summary>How much of its limit a pile may use for now; what it has beyond that is withheld.</summary>
/// <remarks>Thread safety: all members may be called concurrently; the figures change under the pool's lock.</remarks>
internal sealed class Allowance(SegmentSource source, SegmentTable segments, WithheldPages withheld, Lock poolLock)
{
    private long _allowedBytes = source.LimitBytes; // under the pool's lock

    /// <summary>The most bytes of segments, less those of withheld pages; at most the limit.</summary>
    internal long AllowedBytes => Volatile.Read(ref _allowedBytes);

    /// <summary>The bytes of segments that are not withheld.</summary>
    internal long UsableBytes => segments.ReservedBytes - withheld.Bytes;

    internal long WithheldBytes => withheld.Bytes;

    /// <summary>The bytes that the pile may grow by. Pages that are withheld come first.</summary>
    internal long GrowableBytes => withheld.Bytes != 0 ? 0 : AllowedBytes - UsableBytes;

    /// <summary>Whether there is no whole segment left to grow by.</summary>
    internal bool IsNearlyFull => AllowedBytes - UsableBytes < source.Map.SegmentBytes;

    /// <summary>Called under the pool's lock when it has grown and <see cref="IsNearlyFull"/>: queues work, no more.</summary>
    internal Action? NearlyFull { get; set; }

    /// <summary>Allows so many bytes: others of free pages are withheld, and earlier ones may be used again.</summary>
    /// <param name="bytes">How many; more than the limit: all.</param>
    /// <param name="pagesAtOnce">How many consecutive pages are withheld: those of a group, or one.</param>
    /// <returns>The bytes in use that are too many: whoever lowered the allowance empties pages, and calls again.</returns>
    internal long Allow(long bytes, int pagesAtOnce = Segment.GroupPages)
    {
        bool isMore = true;
        while (isMore)
        {
            lock (poolLock) // for each group: the system takes some hundred microseconds
            {
                Volatile.Write(ref _allowedBytes, Math.Min(bytes, source.LimitBytes));
                long surplus = UsableBytes - AllowedBytes;
                isMore = surplus > 0 ? withheld.TryWithhold(pagesAtOnce) : withheld.TryGiveBack(-surplus);
            }
        }
        return Math.Max(0, UsableBytes - AllowedBytes);
    }

    /// <summary>Says so once the pile is nearly full. The caller holds the pool's lock.</summary>
    internal void OnGrown()
    {
        if (IsNearlyFull)
            NearlyFull?.Invoke();
    }
}
