namespace BigPile.Caching.Eviction.Policies;

/// <summary>What an eviction policy asks of its entries, and has done to them.</summary>
internal interface IPolicyHost
{
    /// <summary>Visits an entry, which is evicted, promoted or used up as the rule says.</summary>
    /// <param name="fingerprint">Its fingerprint.</param>
    /// <param name="isInMain">The queue that it is in.</param>
    /// <param name="rule">The rule.</param>
    Visited Visit(uint fingerprint, bool isInMain, VisitRule rule);

    /// <summary>The number of entries with a fingerprint in a queue. Those that cannot be read count.</summary>
    int CountOf(uint fingerprint, bool isInMain);

    /// <summary>Whether an entry exists, in either queue, and has uses.</summary>
    bool IsUsed(uint fingerprint);

    /// <summary>Prefetches the index bucket of an entry that will be visited.</summary>
    void PrefetchBucket(uint fingerprint);

    /// <summary>Prefetches the block of an entry that may be evicted.</summary>
    void PrefetchBlock(uint fingerprint);
}
