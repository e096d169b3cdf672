using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>The table as its evictor sees it.</summary>
internal unsafe interface IEvictionHost
{
    /// <summary>The table's index.</summary>
    TableIndex Index { get; }

    /// <summary>Brings the block of an entry towards the processor. Its bucket need not be locked.</summary>
    void Prefetch(IndexSlot slot);

    /// <summary>The priority of an entry. Its bucket is locked.</summary>
    EntryPriority PriorityLocked(IndexSlot slot);

    /// <summary>Evicts an entry, and counts it. Its bucket is locked.</summary>
    void EvictLocked(Bucket* line, int slot);
}
