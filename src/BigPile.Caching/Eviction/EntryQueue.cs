namespace BigPile.Caching.Eviction;

/// <summary>Into which queue a new entry goes.</summary>
internal enum EntryQueue
{
    /// <summary>That is not decided yet.</summary>
    Undecided,
    Small,
    Main,

    /// <summary>The main queue, as the table fills up; that the entry came is not counted yet.</summary>
    Filling,
}
