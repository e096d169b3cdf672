using System;
using System.Threading;

namespace BigPile.Allocation;

/// <summary>How much of its limit the pile may use for now.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>The most bytes of segments, less those of withheld pages; at most the limit. Written under the pool's lock.</summary>
    internal long AllowedBytes
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>The bytes of segments that are not withheld.</summary>
    internal long UsableBytes => _segments.ReservedBytes - _withheld.Bytes;

    internal long WithheldBytes => _withheld.Bytes;

    /// <summary>Allows so many bytes: others of free pages are withheld, and earlier ones may be used again.</summary>
    /// <param name="bytes">How many; more than the limit: all.</param>
    /// <param name="pagesAtOnce">How many consecutive pages are withheld: those of a group, or one.</param>
    /// <returns>The bytes in use that are too many: whoever lowered the allowance empties pages, and calls again.</returns>
    internal long Allow(long bytes, int pagesAtOnce = Segment.GroupPages)
    {
        bool isMore = true;
        while (isMore)
        {
            lock (_lock) // for each group: the system takes some hundred microseconds
            {
                AllowedBytes = Math.Min(bytes, _source.LimitBytes);
                long surplus = UsableBytes - AllowedBytes;
                isMore = surplus > 0 ? _withheld.TryWithhold(pagesAtOnce) : _withheld.TryGiveBack(-surplus);
            }
        }
        return Math.Max(0, UsableBytes - AllowedBytes);
    }
}
