using System;
using System.Diagnostics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>The queues of the entries of one priority, what is remembered of those that left them, and looks at their entries.</summary>
/// <remarks>
/// The oldest entry of the main queue is its hand: it is looked at where it is, and leaves the queue once that is decided. Whoever is
/// seen in use here is told to the sketch and ends its duel, after the lock of its bucket was left. An entry that is spared leaves its
/// queue until <see cref="ReturnPinned"/>: at once, it would be the next one of a short queue again and again. Thread safety: none; the
/// owner has a lock, and those of buckets come after it.
/// </remarks>
internal sealed unsafe class EvictionQueues : IDisposable
{
    private const int BucketsAhead = 8;
    private const int BlocksAhead = 4;

    private readonly ShardEntries _entries;
    private readonly FrequencySketch _sketch;
    private readonly EntryPriority _priority;
    private uint? _pinned;
    private bool _isPinnedInMain;

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

    /// <summary>The hashes in both queues; some may be of entries that are gone.</summary>
    internal long Count => Small.Count + Main.Count;

    internal long SizeBytes => Small.SizeBytes + Main.SizeBytes + Ghosts.SizeBytes + Duels.SizeBytes;

    /// <summary>What it takes beside <see cref="SizeBytes"/> once something is evicted.</summary>
    /// <param name="capacity">The entries that there is room for then.</param>
    internal long MissingBytes(long capacity) =>
        Math.Max(0, GhostList.SizeBytesFor(capacity, Count) - Ghosts.SizeBytes)
        + Math.Max(0, DuelList.SizeBytesFor(capacity) - Duels.SizeBytes);

    /// <summary>Takes the oldest hash of the small queue, and looks at its entry.</summary>
    /// <param name="scan">What is asked for.</param>
    /// <param name="seen">What was seen: an entry that was used enough has gone over to the main queue.</param>
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
    /// Looks at the oldest hash of the main queue: what is in use goes back behind all others with one use less, what is not may go.
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

    /// <summary>Finds an entry of the main queue that is not in use; it is evicted, or left the oldest.</summary>
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

    /// <summary>Evicts an entry whose hash was taken out of the small queue.</summary>
    /// <returns>Whether it was still there.</returns>
    internal bool EvictSmall(uint fingerprint, ulong pinnedAddress, long now)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(fingerprint));
        if (!TryFindLocked(bucket, fingerprint, isMain: false, pinnedAddress, out SlotPlace place))
            return false;
        EvictLocked(place, fingerprint, GhostKind.Small, now);
        return true;
    }

    /// <summary>Has an entry whose hash was taken out of the small queue go over to the main queue.</summary>
    internal void Promote(in Seen seen)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(seen.Fingerprint));
        if (!TryFindLocked(bucket, seen.Fingerprint, isMain: false, pinnedAddress: 0, out SlotPlace place))
            return;
        PromoteLocked(place);
        Main.Push(seen.Fingerprint, seen.Weight);
    }

    /// <summary>Puts the entry back that was spared, if it was met.</summary>
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

    private static void PromoteLocked(SlotPlace place)
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
            PromoteLocked(place);
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
        Debug.Assert(place.Value.IsEmpty, "What was evicted has left the index.");
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

    // Each eviction touches a bucket, the block that it leads to, counters and a ghost: all of them far from those of the one before.
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

    /// <summary>What a look at an entry said.</summary>
    internal enum ScanResult
    {
        /// <summary>There is no such entry any more, or it is the one that stays; its hash has left its queue.</summary>
        Gone,

        /// <summary>It was used, and is the youngest of the main queue now.</summary>
        InUse,

        /// <summary>It was not used, and stays nevertheless.</summary>
        Unused,

        /// <summary>It was not used enough, but may be worth more than one of the main queue.</summary>
        Doubtful,
        Evicted,
    }

    /// <summary>What is asked for of the oldest entry of the small queue.</summary>
    /// <param name="UsesToStay">The uses that let it go over to the main queue.</param>
    /// <param name="LeastDoubt">Up to which estimate and uses together it is evicted without a further look.</param>
    /// <param name="MustGo">Whether it is evicted whatever it is worth.</param>
    /// <param name="PinnedAddress">The address of the block of an entry that stays; 0: none.</param>
    /// <param name="Now">The time.</param>
    internal readonly record struct SmallQueueScan(int UsesToStay, int LeastDoubt, bool MustGo, ulong PinnedAddress, long Now);

    /// <summary>What is asked for of the oldest entries of the main queue.</summary>
    /// <param name="Worth">What another one is worth beyond its margin: one that is not used and came less often goes for it.</param>
    /// <param name="SizeRatio">As how many entries the other one counts.</param>
    /// <param name="MustGo">Whether one goes that is not used, whatever it is worth.</param>
    /// <param name="EvenIfUsed">Whether the oldest one goes, used or not.</param>
    /// <param name="PinnedAddress">The address of the block of an entry that stays; 0: none.</param>
    /// <param name="Now">The time.</param>
    internal readonly record struct MainQueueScan(int Worth, double SizeRatio, bool MustGo, bool EvenIfUsed, ulong PinnedAddress, long Now);

    /// <summary>What was seen of an entry of the small queue.</summary>
    internal readonly record struct Seen(uint Fingerprint, int Estimate, int Uses, double Weight);
}
