using BigPile.Caching.Metrics;

namespace BigPile.Caching.Liveness;

/// <summary>What follows from the state of an entry.</summary>
internal static class EntryStateExtensions
{
    /// <summary>Whether the entry may be freed. A tombstone is not live, but stays.</summary>
    internal static bool IsDead(this EntryState state) => state >= EntryState.Expired;

    /// <summary>The counter for the removal of a dead entry.</summary>
    internal static Counter Reason(this EntryState state) =>
        state == EntryState.Invalidated ? Counter.Removals : Counter.Expirations;
}
