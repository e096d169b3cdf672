namespace BigPile.Caching.Eviction;

/// <summary>From which queue an entry was evicted.</summary>
internal enum GhostKind
{
    /// <summary>It is not remembered.</summary>
    None = -1,
    Small = 0,
    Main = 1,
}
