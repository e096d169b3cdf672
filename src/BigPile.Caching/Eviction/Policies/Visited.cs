namespace BigPile.Caching.Eviction.Policies;

/// <summary>What a visit found.</summary>
/// <param name="Outcome">What became of the entry.</param>
/// <param name="Uses">The uses that it had.</param>
/// <param name="Weight">Its weight, if it was in the small queue and was not evicted.</param>
internal readonly record struct Visited(VisitOutcome Outcome, int Uses, double Weight);
