using System.Numerics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>Maps the fingerprints that a shard's policies hold to slots of the index.</summary>
/// <remarks>
/// Thread safety: all members may be called concurrently. A thread that holds a bucket's lock calls only those that end in Locked.
/// </remarks>
internal sealed unsafe class ShardEntries(IEvictionHost host, int number, int shardBits)
{
    private static readonly ulong TagMask = IndexSlot.TagOf(uint.MaxValue);

    internal IEvictionHost Host => host;

    internal TableIndex Index => host.Index;

    /// <summary>The fingerprint of a hash: the low 32 bits, less those that are the shard's number.</summary>
    /// <remarks>
    /// Together with the shard's number it gives these 32 bits back, which locate a bucket in a table of any size, and the new shard when a
    /// single one is divided. An index slot has them too.
    /// </remarks>
    internal uint FingerprintOf(ulong hash) => (uint)hash >> shardBits;

    /// <summary>The low 32 bits of the hash of a fingerprint.</summary>
    internal ulong HashOf(uint fingerprint) => (fingerprint << shardBits) | (uint)number;

    /// <summary>Whether an entry of a priority exists, in either queue, and was used since its last scan.</summary>
    internal bool IsUsed(uint fingerprint, EntryPriority priority)
    {
        using LockedBucket bucket = Index.Lock(HashOf(fingerprint));
        foreach (Bucket* line in bucket.Lines)
        {
            for (uint match = Match(line, fingerprint); match != 0; match &= match - 1)
            {
                var place = new SlotPlace(line, BitOperations.TrailingZeroCount(match));
                if (!place.Value.IsEmpty && line->Frequency(place.Slot) != 0 && host.MayHavePriorityLocked(place, priority))
                    return true;
            }
        }
        return false;
    }

    /// <summary>The number of entries that a queue identifies alike.</summary>
    internal int CountOf(QueuedEntry entry)
    {
        int count = 0;
        using LockedBucket bucket = Index.Lock(HashOf(entry.Fingerprint));
        foreach (Bucket* line in bucket.Lines)
        {
            for (uint match = Match(line, entry.Fingerprint); match != 0; match &= match - 1)
                count += Is(new SlotPlace(line, BitOperations.TrailingZeroCount(match)), entry) ? 1 : 0;
        }
        return count;
    }

    /// <summary>Sets the main-queue bit of one entry of the small queue.</summary>
    /// <remarks>Only one: another entry with the same fingerprint is queued on its own, maybe in the small queue.</remarks>
    internal void MarkMain(uint fingerprint, EntryPriority priority)
    {
        using LockedBucket bucket = Index.Lock(HashOf(fingerprint));
        if (TryFindLocked(bucket, new QueuedEntry(fingerprint, IsMain: false, priority), pinnedAddress: 0, out SlotPlace place))
            place.Line->SetInMain(place.Slot, true);
    }

    /// <summary>Finds an entry, except the one at the pinned address.</summary>
    internal bool TryFindLocked(in LockedBucket bucket, QueuedEntry entry, ulong pinnedAddress, out SlotPlace place)
    {
        foreach (Bucket* line in bucket.Lines)
        {
            for (uint match = Match(line, entry.Fingerprint); match != 0; match &= match - 1)
            {
                place = new SlotPlace(line, BitOperations.TrailingZeroCount(match));
                if (place.Value.Address != pinnedAddress && Is(place, entry))
                    return true;
            }
        }
        place = default;
        return false;
    }

    internal void PrefetchBucket(uint fingerprint) => Index.Prefetch(HashOf(fingerprint));

    /// <summary>Prefetches the block of a fingerprint.</summary>
    /// <remarks>Takes no lock. The bucket may be changing: a prefetch of a stale address is harmless.</remarks>
    internal void PrefetchBlock(uint fingerprint)
    {
        Bucket* bucket = Index.Peek(HashOf(fingerprint));
        for (uint match = Match(bucket, fingerprint); match != 0; match &= match - 1)
        {
            IndexSlot slot = Bucket.Load(bucket, BitOperations.TrailingZeroCount(match));
            if (!slot.IsEmpty)
                host.Prefetch(slot);
        }
    }

    private bool Is(SlotPlace place, QueuedEntry entry) =>
        !place.Value.IsEmpty && place.Line->IsInMain(place.Slot) == entry.IsMain && host.MayHavePriorityLocked(place, entry.Priority);

    // The slots of a line that match a fingerprint; for tag 0 also empty ones. The bucket's number covers the hash bits outside the tag.
    private uint Match(Bucket* line, uint fingerprint) => Bucket.Match(line, IndexSlot.TagOf(HashOf(fingerprint)), TagMask);
}

/// <summary>An entry as a queue identifies it.</summary>
internal readonly record struct QueuedEntry(uint Fingerprint, bool IsMain, EntryPriority Priority);
