using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>The table as its evictor sees it.</summary>
internal interface IEvictionHost
{
    /// <summary>The table's index.</summary>
    TableIndex Index { get; }

    /// <summary>The number of entries.</summary>
    long Entries { get; }

    /// <summary>What there is room for, told when there is no more: of a table limited in bytes, what it has.</summary>
    TableCapacity Capacity { get; }

    /// <summary>Brings the block of an entry towards the processor. Its bucket need not be locked.</summary>
    void Prefetch(IndexSlot slot);

    /// <summary>Whether an entry has a priority, or can't be read, so that it may go with any. Its bucket is locked.</summary>
    bool MayHavePriorityLocked(SlotPlace place, EntryPriority priority);

    /// <summary>What an entry weighs. Its bucket is locked.</summary>
    double WeightLocked(SlotPlace place);

    /// <summary>Evicts an entry, and counts it. Its bucket is locked.</summary>
    /// <param name="place">The entry's slot.</param>
    /// <param name="now">The time, by which an entry is told that has expired.</param>
    void EvictLocked(SlotPlace place, long now);
}
