namespace BigPile.Caching.Eviction;

/// <summary>The queue of a new entry.</summary>
internal enum EntryQueue
{
    /// <summary>Not decided yet.</summary>
    Undecided,
    Small,
    Main,
}
