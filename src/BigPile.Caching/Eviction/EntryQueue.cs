namespace BigPile.Caching.Eviction;

/// <summary>Into which queue a new entry goes.</summary>
internal enum EntryQueue
{
    /// <summary>That is not decided yet.</summary>
    Undecided,
    Small,
    Main,
}
