using System;
using BigPile.Layout;
using BigPile.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Capacity;

/// <summary>
/// Shrinks what gives way while the system is short of memory, and lets it grow again, as CacheLib's memory monitor does.
/// </summary>
/// <remarks>
/// Between the two thresholds nothing changes, so that it does not swing. Entries are evicted page by page, and the pages' memory goes back to
/// the system. A pile whose tables have nothing to give is left alone.
/// Thread safety: one run at a time.
/// </remarks>
/// <param name="heap">The pile.</param>
/// <param name="capacity">Its tables.</param>
/// <param name="memoryBytes">The memory that the process may use.</param>
/// <param name="available">The bytes of it that are available now; null: unknown.</param>
internal sealed class MemoryMonitor(TableHeap heap, PileCapacity capacity, long memoryBytes, Func<long?> available)
{
    private const double ShortShare = 0.05; // of the memory: below it the pile shrinks
    private const double EnoughShare = 0.10; // above it the pile grows again
    private const int SteepestShrink = 16; // of what the pile uses, in one run
    private const int SteepestGrowth = 64; // of its limit, in one run
    private const long PagesAtOnce = 32; // as many as a huge page of the system has

    private bool _isShort;

    /// <summary>Compares what is available with the thresholds, and shrinks or grows by a step.</summary>
    internal void Run()
    {
        if (available() is not { } bytes)
            return;
        var isShort = (long)(ShortShare * memoryBytes);
        var isEnough = (long)(EnoughShare * memoryBytes);
        if (bytes < isShort)
            Shrink((isShort + isEnough) / 2 - bytes);
        else if (bytes > isEnough && heap.AllowedBytes < heap.LimitBytes)
            Grow((bytes - isEnough) / 2);
    }

    private void Shrink(long bytes)
    {
        capacity.Prepare();
        if (capacity.EvictableBytes == 0)
            return;
        if (!_isShort)
            heap.Logger.LogWarning(
                "The memory of this process is short: {Bytes:N0} bytes more should be available. The pile evicts, and returns memory", bytes);
        _isShort = true;
        long used = heap.UsedBytes;
        long allowed = Math.Min(heap.AllowedBytes, used) - Math.Min(bytes, used / SteepestShrink);
        long surplus = heap.Allow(allowed);
        // Others may take pages that were emptied: so many times, and the next run goes on.
        for (long pages = surplus; pages > 0 && surplus > 0 && TryClear(Math.Min(surplus, PagesAtOnce)); pages -= PagesAtOnce)
            surplus = heap.Allow(allowed);
        capacity.QueueDrain();
    }

    private bool TryClear(long pages) =>
        heap.TryClearPages(pages * SizeClasses.PageBytes, capacity) || heap.TryClearPages(SizeClasses.PageBytes, capacity);

    private void Grow(long bytes)
    {
        long allowed = heap.AllowedBytes + Math.Min(bytes, heap.LimitBytes / SteepestGrowth + SizeClasses.PageBytes);
        _ = heap.Allow(allowed);
        if (allowed < heap.LimitBytes || !_isShort)
            return;
        heap.Logger.LogInformation("The memory of this process is no longer short: the pile may use all of its limit again");
        _isShort = false;
    }
}
