using System;
using System.Diagnostics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>Small and main queue of one priority, with ghosts and duels; scans their oldest entries in the index.</summary>
/// <remarks>
/// The head of the main queue is the clock hand: it is scanned in place, and leaves the queue when that is decided. A used entry is
/// added to the sketch and ends its duel, after its bucket's lock is released. A pinned entry leaves its queue until
/// <see cref="ReturnPinned"/>: pushed at once, it would be the next head of a short queue over and over. Thread safety: none; the owner has
/// a lock, and locks of buckets are taken under it.
/// </remarks>
internal sealed unsafe class EvictionQueues : IDisposable
{
    private const int BucketsAhead = 8; // queue positions by which buckets are prefetched
    private const int BlocksAhead = 4; // queue positions by which blocks are prefetched

    private readonly ShardEntries _entries;
    private readonly FrequencySketch _sketch;
    private readonly EntryPriority _priority;
    private uint? _pinned; // the fingerprint of the pinned entry, if a scan met it; guarded by the owner's lock
    private bool _isPinnedInMain; // the queue that it left

    internal EvictionQueues(ShardEntries entries, FrequencySketch sketch, EntryPriority priority)
    {
        _entries = entries;
        _sketch = sketch;
        _priority = priority;
        Duels = new DuelList(fingerprint => entries.IsUsed(fingerprint, priority));
    }

    internal HashQueue Small { get; } = new();

    internal HashQueue Main { get; } = new();

    internal GhostList Ghosts { get; } = new();

    internal DuelList Duels { get; }

    /// <summary>The number of fingerprints in both queues, including those of entries that no longer exist.</summary>
    internal long Count => Small.Count + Main.Count;

    internal long SizeBytes => Small.SizeBytes + Main.SizeBytes + Ghosts.SizeBytes + Duels.SizeBytes;

    /// <summary>The bytes beyond <see cref="SizeBytes"/> that the first eviction would allocate.</summary>
    /// <param name="capacity">The capacity at that time, in entries.</param>
    internal long MissingBytes(long capacity) =>
        Math.Max(0, GhostList.SizeBytesFor(capacity, Count) - Ghosts.SizeBytes)
        + Math.Max(0, DuelList.SizeBytesFor(capacity) - Duels.SizeBytes);

    /// <summary>Pops the oldest fingerprint of the small queue, and promotes or evicts its entry, or leaves it to the caller.</summary>
    /// <param name="scan">The conditions.</param>
    /// <param name="seen">What the scan found.</param>
    internal ScanResult PopSmall(in SmallQueueScan scan, out Seen seen)
    {
        uint fingerprint = Small.Pop();
        PrefetchAhead(Small);
        seen = new Seen(fingerprint, _sketch.Estimate(fingerprint), 0, 0);
        ScanResult result = ScanSmall(scan, ref seen);
        if (result == ScanResult.InUse)
        {
            _sketch.Add(fingerprint);
            Main.Push(fingerprint, seen.Weight);
        }
        if (seen.Uses != 0)
            Duels.End(fingerprint, isMissed: false);
        return result;
    }

    /// <summary>
    /// Scans the oldest entry of the main queue. A used one is pushed again with one use less; an unused one may be evicted.
    /// </summary>
    internal ScanResult ScanMain(in MainQueueScan scan)
    {
        uint fingerprint = Main.Oldest;
        ScanResult result = ScanMain(fingerprint, scan);
        if (result == ScanResult.Unused)
            return result;
        _ = Main.Pop();
        PrefetchAhead(Main);
        if (result != ScanResult.InUse)
            return result;
        Main.Push(fingerprint);
        _sketch.Add(fingerprint);
        Duels.End(fingerprint, isMissed: false);
        return result;
    }

    /// <summary>Finds an unused entry of the main queue. It is evicted, or stays the oldest.</summary>
    internal ScanResult FindUnused(int steps, in MainQueueScan scan, out uint fingerprint)
    {
        for (int step = 0; step < steps && Main.Count != 0; step++)
        {
            fingerprint = Main.Oldest;
            ScanResult result = ScanMain(scan);
            if (result is ScanResult.Unused or ScanResult.Evicted)
                return result;
        }
        fingerprint = 0;
        return ScanResult.Gone;
    }

    /// <summary>Evicts an entry whose fingerprint was popped from the small queue.</summary>
    /// <returns>Whether it still existed.</returns>
    internal bool EvictSmall(uint fingerprint, ulong pinnedAddress, long now)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(fingerprint));
        if (!TryFindLocked(bucket, fingerprint, isMain: false, pinnedAddress, out SlotPlace place))
            return false;
        EvictLocked(place, fingerprint, GhostKind.Small, now);
        return true;
    }

    /// <summary>Promotes an entry whose fingerprint was popped from the small queue to the main queue.</summary>
    internal void MoveToMain(in Seen seen)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(seen.Fingerprint));
        if (!TryFindLocked(bucket, seen.Fingerprint, isMain: false, pinnedAddress: 0, out SlotPlace place))
            return;
        MoveToMainLocked(place);
        Main.Push(seen.Fingerprint, seen.Weight);
    }

    /// <summary>Pushes the pinned entry to its queue again, if a scan met it.</summary>
    internal void ReturnPinned()
    {
        if (_pinned is { } fingerprint)
            (_isPinnedInMain ? Main : Small).Push(fingerprint);
        _pinned = null;
    }

    public void Dispose()
    {
        Small.Dispose();
        Main.Dispose();
        Ghosts.Dispose();
    }

    private static void MoveToMainLocked(SlotPlace place)
    {
        place.Line->SetFrequency(place.Slot, 0);
        place.Line->SetInMain(place.Slot, true);
    }

    private ScanResult ScanSmall(in SmallQueueScan scan, ref Seen seen)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(seen.Fingerprint));
        if (!TryFindLocked(bucket, seen.Fingerprint, isMain: false, scan.PinnedAddress, out SlotPlace place))
            return ScanResult.Gone;
        seen = seen with { Uses = place.Line->Frequency(place.Slot), Weight = _entries.Host.WeightLocked(place) };
        if (!scan.MustGo && seen.Uses >= scan.UsesToStay)
        {
            MoveToMainLocked(place);
            return ScanResult.InUse;
        }
        if (!scan.MustGo && seen.Estimate + seen.Uses > scan.LeastDoubt)
            return ScanResult.Doubtful;
        EvictLocked(place, seen.Fingerprint, GhostKind.Small, scan.Now);
        return ScanResult.Evicted;
    }

    private ScanResult ScanMain(uint fingerprint, in MainQueueScan scan)
    {
        bool mayGo = scan.MustGo || (scan.Worth > 0 && scan.Worth > _sketch.Estimate(fingerprint) * scan.SizeRatio);
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(fingerprint));
        if (!TryFindLocked(bucket, fingerprint, isMain: true, scan.PinnedAddress, out SlotPlace place))
            return ScanResult.Gone;
        int uses = place.Line->Frequency(place.Slot);
        if (uses != 0 && !scan.EvenIfUsed)
        {
            place.Line->SetFrequency(place.Slot, uses - 1);
            return ScanResult.InUse;
        }
        if (!mayGo)
            return ScanResult.Unused;
        EvictLocked(place, fingerprint, GhostKind.Main, scan.Now);
        return ScanResult.Evicted;
    }

    private void EvictLocked(SlotPlace place, uint fingerprint, GhostKind kind, long now)
    {
        _entries.Host.EvictLocked(place, now);
        Debug.Assert(place.Value.IsEmpty, "The evicted entry's slot is empty.");
        Ghosts.Add(fingerprint, kind, Count);
    }

    private bool TryFindLocked(in LockedBucket bucket, uint fingerprint, bool isMain, ulong pinnedAddress, out SlotPlace place)
    {
        var wanted = new QueuedEntry(fingerprint, isMain, _priority);
        if (_entries.TryFindLocked(bucket, wanted, pinnedAddress, out place))
            return true;
        if (pinnedAddress != 0 && _entries.TryFindLocked(bucket, wanted, pinnedAddress: 0, out _))
            (_pinned, _isPinnedInMain) = (fingerprint, isMain);
        return false;
    }

    // An eviction touches a bucket, its block, counters and a ghost, each a cache miss; so those of the next evictions are prefetched.
    private void PrefetchAhead(HashQueue queue)
    {
        if (queue.TryPeek(BucketsAhead, out uint far))
        {
            _entries.PrefetchBucket(far);
            Ghosts.Prefetch(far);
            _sketch.Prefetch(far);
        }
        if (queue.TryPeek(BlocksAhead, out uint near))
            _entries.PrefetchBlock(near);
    }

    /// <summary>The result of a scan of one entry.</summary>
    internal enum ScanResult
    {
        /// <summary>The entry no longer exists, or it is pinned; its fingerprint has left the queue.</summary>
        Gone,

        /// <summary>The entry was used, and is the youngest of the main queue now.</summary>
        InUse,

        /// <summary>The entry was not used, and stays the oldest of the main queue.</summary>
        Unused,

        /// <summary>An entry of the small queue was not used enough, but its estimate may be above that of one of the main queue.</summary>
        Doubtful,
        Evicted,
    }

    /// <summary>The conditions of a scan of the small queue's oldest entry.</summary>
    /// <param name="UsesToStay">The uses that promote it to the main queue.</param>
    /// <param name="LeastDoubt">The sum of estimate and uses up to which it is evicted at once.</param>
    /// <param name="MustGo">Whether it is evicted regardless of uses and estimate.</param>
    /// <param name="PinnedAddress">The block address of an entry that must not be evicted; 0: none.</param>
    /// <param name="Now">The time.</param>
    internal readonly record struct SmallQueueScan(int UsesToStay, int LeastDoubt, bool MustGo, ulong PinnedAddress, long Now);

    /// <summary>The conditions of a scan of the main queue's oldest entries.</summary>
    /// <param name="Worth">The estimate of the contender less its margin: an unused entry with a lower estimate is evicted for it.</param>
    /// <param name="SizeRatio">The weight of the contender, in mean weights of the queue.</param>
    /// <param name="MustGo">Whether an unused entry is evicted regardless of its estimate.</param>
    /// <param name="EvenIfUsed">Whether a used entry counts as unused.</param>
    /// <param name="PinnedAddress">The block address of an entry that must not be evicted; 0: none.</param>
    /// <param name="Now">The time.</param>
    internal readonly record struct MainQueueScan(int Worth, double SizeRatio, bool MustGo, bool EvenIfUsed, ulong PinnedAddress, long Now);

    /// <summary>What a scan found of an entry of the small queue: fingerprint, sketch estimate, uses and weight.</summary>
    internal readonly record struct Seen(uint Fingerprint, int Estimate, int Uses, double Weight);
}
