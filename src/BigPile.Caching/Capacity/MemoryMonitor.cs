using System;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Capacity;

/// <summary>
/// Shrinks what gives way while the system is short of memory, and lets it grow again, as CacheLib's memory monitor does.
/// </summary>
/// <remarks>
/// Between the two thresholds nothing changes, so that it does not swing. Entries are evicted page by page, and the pages' memory goes back
/// to the system. A pile whose tables have nothing to give is left alone, and so is one that is smaller than the lower threshold.
/// What others have lately taken between two looks they may take again before the next one, so the thresholds rise by that: a collector
/// that is given a gigabyte of large arrays a second takes 100 MB in one.
/// Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="heap">The pile.</param>
/// <param name="capacity">Its tables.</param>
/// <param name="memoryBytes">Reads how much memory the process may use; that of a container may change.</param>
/// <param name="available">Reads how many bytes of it are available; null: unknown.</param>
internal sealed class MemoryMonitor(TableHeap heap, PileCapacity capacity, Func<long> memoryBytes, Func<long?> available)
{
    /// <summary>How often the memory is looked at.</summary>
    internal static readonly TimeSpan Period = TimeSpan.FromMilliseconds(250);

    private const long LeastShortBytes = 64 << 20; // what the managed heap and others may take between two runs
    private const int ShortShare = 20; // of the memory: below it the pile shrinks
    private const int MostShortShare = 10; // of a small memory
    private const int MostTaken = 2; // times the least threshold: so much of what others took counts
    private const int TakenDecay = 256; // in a run it loses such a part: half of it in 45 seconds
    private const int SteepestShrink = 4; // of what the pile uses, in one run
    private const int SteepestGrowth = 256; // of what it takes, in one run

    private readonly Lock _lock = new(); // held by a run, and for the end
    private long _leastBytes = LeastOf(heap.Memory.Bytes); // under the lock; the threshold where others take nothing
    private long _takenBytes; // under the lock; the most that others took between two runs, of late
    private long? _notOthersBytes; // under the lock; at the last run: what is available, and what the pile uses
    private bool _isShort; // under the lock
    private bool _isOver; // under the lock

    private long ShortBytes => _leastBytes + _takenBytes; // below it the pile shrinks

    private long EnoughBytes => ShortBytes + _leastBytes; // above it the pile grows again

    /// <summary>Compares what is available with the thresholds, and shrinks or grows by a step.</summary>
    internal void Run()
    {
        lock (_lock)
        {
            if (_isOver || available() is not { } bytes)
                return;
            CountTakenLocked(bytes);
            if (bytes >= ShortBytes && heap.AllowedBytes >= heap.LimitBytes)
                return;
            _leastBytes = LeastOf(memoryBytes());
            if (bytes < ShortBytes)
                ShrinkLocked(EnoughBytes - bytes);
            else if (bytes > EnoughBytes && heap.AllowedBytes < heap.LimitBytes)
                GrowLocked((bytes - EnoughBytes) / 2);
        }
    }

    /// <summary>Allows the pile all of its limit again, and does nothing any more.</summary>
    internal void End()
    {
        lock (_lock)
        {
            _isOver = true;
            _ = heap.Allow(heap.LimitBytes);
        }
    }

    private static long LeastOf(long memoryBytes) =>
        Math.Min(Math.Max(memoryBytes / ShortShare, LeastShortBytes), memoryBytes / MostShortShare);

    private void CountTakenLocked(long availableBytes)
    {
        long notOthersBytes = availableBytes + heap.UsedBytes;
        long takenBytes = Math.Min(_notOthersBytes - notOthersBytes ?? 0, MostTaken * _leastBytes);
        _takenBytes = Math.Max(takenBytes, _takenBytes - _takenBytes / TakenDecay);
        _notOthersBytes = notOthersBytes;
    }

    private void ShrinkLocked(long bytes)
    {
        long used = heap.UsedBytes;
        if (used <= _leastBytes) // so small that others must be the cause, and its memory is no remedy
            return;
        capacity.Prepare();
        if (capacity.EvictableBytes == 0)
            return;
        long allowed = Math.Max(_leastBytes, Math.Min(heap.AllowedBytes, used) - Math.Min(bytes, used / SteepestShrink));
        long surplus = heap.Allow(allowed);
        var victims = new Victims(capacity);
        // Others may take pages that were emptied: so many times, and the next run goes on.
        for (long left = surplus; left > 0 && surplus > 0 && heap.TryClearGroup(victims); left -= Segment.GroupBytes)
            surplus = heap.Allow(allowed);
        // Where each group has something that stays, single pages.
        const long Page = SizeClasses.PageBytes;
        for (long left = surplus; left > 0 && surplus > 0 && heap.TryClearPages(Page, isEvictable: true, Page, victims); left -= Page)
            surplus = heap.Allow(allowed, pagesAtOnce: 1);
        _ = heap.Allow(allowed + surplus); // what could not go
        capacity.QueueDrain();
        if (!_isShort)
            heap.Logger.LogWarning(
                "The memory of this process is short by {Bytes:N0} bytes: tables of the pile evict, and {Withheld:N0} bytes went back to "
                + "the system so far", bytes, heap.WithheldBytes);
        _isShort = true;
    }

    private void GrowLocked(long bytes)
    {
        _ = heap.Allow(heap.AllowedBytes + Math.Min(bytes, heap.UsedBytes / SteepestGrowth + Segment.GroupBytes));
        if (heap.WithheldBytes != 0)
            return;
        _ = heap.Allow(heap.LimitBytes);
        if (_isShort)
            heap.Logger.LogInformation("The memory of this process is no longer short: the pile may use all of its limit again");
        _isShort = false;
    }

    // Written to a file, an entry takes as much memory again until the disk has it, and without memory a write stalls: so the background
    // writes what may wait, and the rest is lost.
    private sealed class Victims(PileCapacity capacity) : IPageVictims
    {
        public long CostOf(ulong address) => capacity.CostOf(address);

        public long Evict(ulong address) => capacity.EvictOnly(address);
    }
}
