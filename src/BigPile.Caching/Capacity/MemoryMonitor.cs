using System;
using BigPile.Allocation;
using BigPile.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Capacity;

/// <summary>
/// Shrinks what gives way while the system is short of memory, and lets it grow again, as CacheLib's memory monitor does.
/// </summary>
/// <remarks>
/// Between the two thresholds nothing changes, so that it does not swing. Entries are evicted page by page, and the pages' memory goes back
/// to the system. A pile whose tables have nothing to give is left alone, and so is one that is smaller than the lower threshold.
/// Thread safety: one run at a time.
/// </remarks>
/// <param name="heap">The pile.</param>
/// <param name="capacity">Its tables.</param>
/// <param name="memoryBytes">The memory that the process may use.</param>
/// <param name="available">The bytes of it that are available now; null: unknown.</param>
internal sealed class MemoryMonitor(TableHeap heap, PileCapacity capacity, long memoryBytes, Func<long?> available)
{
    /// <summary>How often the memory is looked at.</summary>
    internal static readonly TimeSpan Period = TimeSpan.FromMilliseconds(250);

    private const long LeastShortBytes = 64 << 20; // what the managed heap and others may take between two runs
    private const int ShortShare = 20; // of the memory: below it the pile shrinks
    private const int MostShortShare = 10; // of a small memory
    private const int SteepestShrink = 4; // of what the pile uses, in one run
    private const int SteepestGrowth = 64; // of its limit, in one run

    private readonly long _shortBytes =
        Math.Min(Math.Max(memoryBytes / ShortShare, LeastShortBytes), memoryBytes / MostShortShare);

    private bool _isShort;

    private long EnoughBytes => 2 * _shortBytes; // above it the pile grows again

    /// <summary>Compares what is available with the thresholds, and shrinks or grows by a step.</summary>
    internal void Run()
    {
        if (available() is not { } bytes)
            return;
        if (bytes < _shortBytes)
            Shrink(EnoughBytes - bytes);
        else if (bytes > EnoughBytes && heap.AllowedBytes < heap.LimitBytes)
            Grow((bytes - EnoughBytes) / 2);
    }

    private void Shrink(long bytes)
    {
        long used = heap.UsedBytes;
        if (used <= _shortBytes) // so small that others must be the cause, and its memory is no remedy
            return;
        capacity.Prepare();
        if (capacity.EvictableBytes == 0)
            return;
        if (!_isShort)
            heap.Logger.LogWarning(
                "The memory of this process is short by {Bytes:N0} bytes: tables of the pile evict, and their memory goes back", bytes);
        _isShort = true;
        long allowed = Math.Max(_shortBytes, Math.Min(heap.AllowedBytes, used) - Math.Min(bytes, used / SteepestShrink));
        long surplus = heap.Allow(allowed);
        // Others may take pages that were emptied: so many times, and the next run goes on.
        for (long left = surplus; left > 0 && surplus > 0 && heap.TryClearUnit(capacity); left -= WithheldPages.UnitBytes)
            surplus = heap.Allow(allowed);
        capacity.QueueDrain();
    }

    private void Grow(long bytes)
    {
        long allowed = heap.AllowedBytes + Math.Min(bytes, heap.LimitBytes / SteepestGrowth + WithheldPages.UnitBytes);
        _ = heap.Allow(allowed);
        if (allowed < heap.LimitBytes || !_isShort)
            return;
        heap.Logger.LogInformation("The memory of this process is no longer short: the pile may use all of its limit again");
        _isShort = false;
    }
}
