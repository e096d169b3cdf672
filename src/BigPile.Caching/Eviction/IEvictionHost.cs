using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>What an evictor needs from its table.</summary>
internal interface IEvictionHost
{
    TableIndex Index { get; }

    long Entries { get; }

    /// <summary>The capacity, read when the table is full: if it is limited in bytes, its present entries.</summary>
    TableCapacity Capacity { get; }

    /// <summary>Prefetches the block of an entry. Its bucket need not be locked.</summary>
    void Prefetch(IndexSlot slot);

    /// <summary>Whether an entry has a priority; an unreadable one counts as having any. Its bucket is locked.</summary>
    bool MayHavePriorityLocked(SlotPlace place, EntryPriority priority);

    /// <summary>The weight of an entry: its footprint in bytes if the table is limited in bytes, else 1. Its bucket is locked.</summary>
    double WeightLocked(SlotPlace place);

    /// <summary>Evicts an entry, and counts it. Its bucket is locked.</summary>
    /// <param name="place">The entry's slot.</param>
    /// <param name="now">The time: an entry that has expired by then counts as expired.</param>
    void EvictLocked(SlotPlace place, long now);
}
