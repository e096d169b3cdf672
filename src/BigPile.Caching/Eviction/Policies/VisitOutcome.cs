namespace BigPile.Caching.Eviction.Policies;

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
