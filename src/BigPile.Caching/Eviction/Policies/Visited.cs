namespace BigPile.Caching.Eviction.Policies;

/// <summary>What a visit found.</summary>
/// <param name="Outcome">What became of the entry.</param>
/// <param name="Uses">The uses that it had.</param>
/// <param name="Weight">Its weight; 0 if it was in the main queue and is kept.</param>
internal readonly record struct Visited(VisitOutcome Outcome, int Uses, double Weight);
