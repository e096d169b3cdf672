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

/// <summary>What becomes of a visited entry.</summary>
/// <param name="EvictUpTo">It is evicted if it has at most these uses.</param>
/// <param name="PromoteFrom">Otherwise it is promoted to the main queue, and its uses are zeroed, if it has at least these.</param>
/// <param name="TakesUse">Otherwise one of its uses is taken, if it has any.</param>
internal readonly record struct VisitRule(int EvictUpTo, int PromoteFrom = VisitRule.Never, bool TakesUse = false)
{
    private const int Never = int.MaxValue;
    private const int Always = int.MaxValue;

    internal static VisitRule Evict => new(Always);

    internal static VisitRule Promote => new(-1, PromoteFrom: 0);

    /// <summary>The entry loses a use, if it has any.</summary>
    internal static VisitRule TakeUse => new(-1, TakesUse: true);

    /// <summary>The entry loses a use, or is evicted if it has none.</summary>
    internal static VisitRule TakeUseOrEvict => new(0, TakesUse: true);

    /// <summary>Nothing happens to the entry.</summary>
    internal static VisitRule Leave => new(-1);
}

/// <summary>What a visit found.</summary>
/// <param name="Outcome">What became of the entry.</param>
/// <param name="Uses">The uses that it had.</param>
/// <param name="Weight">Its weight; 0 if it was in the main queue and is kept.</param>
internal readonly record struct Visited(VisitOutcome Outcome, int Uses, double Weight);

/// <summary>What became of a visited entry.</summary>
internal enum VisitOutcome
{
    /// <summary>It no longer exists, or must not be touched now: the policy forgets it.</summary>
    Gone,

    /// <summary>It is in its queue.</summary>
    Kept,

    /// <summary>It is in the main queue now.</summary>
    Promoted,
    Evicted,
}
