using System;
using System.Threading;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>How much of its limit the pile may use for now.</summary>
internal sealed unsafe partial class PagePool
{
    private const int WithheldAtOnce = 32; // under the lock: some hundred microseconds in the system

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
    /// <returns>The pages in use that are too many: whoever lowered the allowance empties them, and calls again.</returns>
    internal long Allow(long bytes)
    {
        while (true)
        {
            lock (_lock)
            {
                AllowedBytes = Math.Min(bytes, _source.LimitBytes);
                long surplusBytes = UsableBytes - AllowedBytes;
                if (surplusBytes <= 0)
                {
                    _withheld.GiveBack((int)Math.Min(-surplusBytes / SizeClasses.PageBytes, int.MaxValue));
                    return 0;
                }
                long surplus = (surplusBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes;
                if (_withheld.Withhold((int)Math.Min(surplus, WithheldAtOnce)) == 0)
                    return surplus;
            }
        }
    }
}
