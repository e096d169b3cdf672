namespace BigPile.Caching.Eviction;

/// <summary>The queue of a new entry.</summary>
internal enum EntryQueue
{
    /// <summary>Not decided yet.</summary>
    Undecided,
    Small,
    Main,

    /// <summary>The main queue, as the table is filling up. The sketch has not counted the entry yet.</summary>
    Filling,
}
