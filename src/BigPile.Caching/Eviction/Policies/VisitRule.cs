namespace BigPile.Caching.Eviction.Policies;

/// <summary>What becomes of a visited entry.</summary>
/// <param name="EvictUpTo">It is evicted if it has at most these uses.</param>
/// <param name="PromoteFrom">Otherwise it is promoted to the main queue, and its uses are zeroed, if it has at least these.</param>
/// <param name="TakesUse">Otherwise one of its uses is taken, if it has any.</param>
internal readonly record struct VisitRule(int EvictUpTo, int PromoteFrom = VisitRule.Never, bool TakesUse = false)
{
    private const int Never = int.MaxValue;
    private const int Always = int.MaxValue;

    /// <summary>The entry is evicted.</summary>
    internal static VisitRule Evict => new(Always);

    /// <summary>The entry is promoted.</summary>
    internal static VisitRule Promote => new(-1, PromoteFrom: 0);

    /// <summary>The entry loses a use, if it has any.</summary>
    internal static VisitRule TakeUse => new(-1, TakesUse: true);

    /// <summary>The entry loses a use, or is evicted if it has none.</summary>
    internal static VisitRule TakeUseOrEvict => new(0, TakesUse: true);

    /// <summary>Nothing happens to the entry.</summary>
    internal static VisitRule Leave => new(-1);
}
