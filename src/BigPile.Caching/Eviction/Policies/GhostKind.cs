namespace BigPile.Caching.Eviction.Policies;

/// <summary>The queue that a ghost was evicted from.</summary>
internal enum GhostKind
{
    /// <summary>There is no ghost.</summary>
    None = -1,
    Small = 0,
    Main = 1,
}
