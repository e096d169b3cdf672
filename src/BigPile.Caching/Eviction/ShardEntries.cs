using System.Numerics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>The entries of one shard of a table: from the pieces of hashes that its queues hold to the slots of the index.</summary>
/// <remarks>Thread safety: all members may be called concurrently; who holds a bucket's lock calls those only that end in Locked.</remarks>
internal sealed unsafe class ShardEntries(IEvictionHost host, int number, int shardBits)
{
    private static readonly ulong TagMask = IndexSlot.TagOf(uint.MaxValue);

    internal IEvictionHost Host => host;

    internal TableIndex Index => host.Index;

    /// <summary>The part of a hash that a queue holds.</summary>
    /// <remarks>
    /// Of the lowest 32 bits, which find a bucket in a table of any size: a slot knows them, and so does a shard of all hashes when it is
    /// divided.
    /// </remarks>
    internal uint FingerprintOf(ulong hash) => (uint)hash >> shardBits;

    /// <summary>A hash of this shard that has a piece.</summary>
    internal ulong HashOf(uint fingerprint) => (fingerprint << shardBits) | (uint)number;

    /// <summary>Whether an entry is there.</summary>
    internal bool Lives(QueuedEntry entry)
    {
        using LockedBucket bucket = Index.Lock(HashOf(entry.Fingerprint));
        return TryFindLocked(bucket, entry, pinnedAddress: 0, out _);
    }

    /// <summary>Whether an entry of a priority is there, in either queue, and was used since it was looked at.</summary>
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

    /// <summary>Marks an entry of the small queue as one of the main queue.</summary>
    /// <remarks>One only: another one with the same piece has a place of its own, and that may be in the small queue.</remarks>
    internal void MarkMain(uint fingerprint, EntryPriority priority)
    {
        using LockedBucket bucket = Index.Lock(HashOf(fingerprint));
        if (TryFindLocked(bucket, new QueuedEntry(fingerprint, IsMain: false, priority), pinnedAddress: 0, out SlotPlace place))
            place.Line->SetInMain(place.Slot, true);
    }

    /// <summary>Finds an entry that is not at an address.</summary>
    internal bool TryFindLocked(in LockedBucket bucket, QueuedEntry entry, ulong pinnedAddress, out SlotPlace place)
    {
        foreach (Bucket* line in bucket.Lines)
        {
            for (uint match = Match(line, entry.Fingerprint); match != 0; match &= match - 1)
            {
                place = new SlotPlace(line, BitOperations.TrailingZeroCount(match));
                IndexSlot value = place.Value;
                if (!value.IsEmpty && line->IsInMain(place.Slot) == entry.IsMain && value.Address != pinnedAddress
                    && host.MayHavePriorityLocked(place, entry.Priority))
                    return true;
            }
        }
        place = default;
        return false;
    }

    /// <summary>Brings the bucket of a piece towards the processor.</summary>
    internal void PrefetchBucket(uint fingerprint) => Index.Prefetch(HashOf(fingerprint));

    /// <summary>Brings the block that a bucket leads to towards the processor.</summary>
    /// <remarks>The bucket may be changing: an address that is wrong by now is a line read in vain.</remarks>
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

    // The slots of a line that have a piece, and, where it is 0, empty ones. What the tag leaves out of it, the bucket's number tells.
    private uint Match(Bucket* line, uint fingerprint) => Bucket.Match(line, IndexSlot.TagOf(HashOf(fingerprint)), TagMask);
}
