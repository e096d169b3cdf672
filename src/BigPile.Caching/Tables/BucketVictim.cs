using System;
using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Evicts the victim of a full bucket of a speculative table.</summary>
internal readonly unsafe struct BucketVictim(TableEngine table)
{
    /// <summary>Evicts the entry of least worth from a full bucket.</summary>
    /// <returns><see langword="false"/> when every entry is worth more.</returns>
    internal bool TryEvictLocked(
        CriticalRegion critical, in LockedBucket bucket, EntryPriority most, ref long now, out SlotPlace place,
        out bool wasAlive)
    {
        Debug.Assert(critical == PileRegions.Current && critical.IsOpen, "The victim is freed, and counted for this thread.");
        // All at once: their cache misses overlap.
        foreach (SlotPlace one in bucket.Slots)
            table.Heap.Prefetch(one.Value.Address);
        Worth least = Worth.Most(most);
        place = default;
        foreach (SlotPlace one in bucket.Slots)
        {
            Worth worth = WorthLocked(one, ref now);
            if (!worth.IsBelow(least))
                continue;
            least = worth;
            place = one;
        }
        wasAlive = least.IsAlive;
        if (place.Line == null)
            return false;
        foreach (SlotPlace one in bucket.Slots) // ages the bucket, only once a victim was found
            one.SetFrequency(Math.Max(0, one.Frequency - 1));
        if (table.Entries.TryViewLocked(place, out LockedEntry entry)) // else its page is damaged: the slot is used again
            table.Delete.DropLocked(critical, entry, wasAlive ? Counter.Evictions : table.Liveness.Of(entry.Head, ref now).Reason());
        return true;
    }

    /// <summary>Whether a bucket has a free slot for an entry of this priority, or a victim.</summary>
    internal bool HasPlaceLocked(in LockedBucket bucket, EntryPriority priority, ref long now)
    {
        if (table.Visibility.IsRebuilding || table.MaxLines == int.MaxValue) // then the bucket grows
            return true;
        int lines = 0;
        foreach (Bucket* line in bucket.Lines)
        {
            if (Bucket.FindEmptyLocked(line) >= 0)
                return true;
            lines++;
        }
        return lines < table.MaxLines || HasVictimLocked(bucket, priority, ref now);
    }

    private bool HasVictimLocked(in LockedBucket bucket, EntryPriority priority, ref long now)
    {
        foreach (SlotPlace place in bucket.Slots)
        {
            if (WorthLocked(place, ref now).IsBelow(Worth.Most(priority)))
                return true;
        }
        return false;
    }

    private Worth WorthLocked(SlotPlace place, ref long now) =>
        !table.Entries.TryViewLocked(place, out LockedEntry entry) || table.Liveness.Of(entry.Head, ref now).IsDead()
            ? Worth.Nothing
            : new Worth(entry.Head.Priority, place.Frequency);

    /// <summary>The worth of an entry: by priority, then by use. A dead entry is below all.</summary>
    private readonly record struct Worth(EntryPriority Priority, int Uses) // Uses below 0: dead
    {
        /// <summary>The bound below which entries may be evicted for one of this priority.</summary>
        internal static Worth Most(EntryPriority priority) => new(priority, int.MaxValue);

        internal static Worth Nothing => new(EntryPriority.Low, -1);

        internal bool IsAlive => Uses >= 0;

        internal bool IsBelow(Worth other) =>
            !IsAlive ? other.IsAlive
            : Priority != EntryPriority.NeverEvict && other.IsAlive
                && (Priority < other.Priority || (Priority == other.Priority && Uses < other.Uses));
    }
}
