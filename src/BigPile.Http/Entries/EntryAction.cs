namespace BigPile.Http.Entries;

/// <summary>What a POST to an entry's path asks for.</summary>
internal enum EntryAction
{
    /// <summary>Put an entry that does not exist.</summary>
    Create,

    /// <summary>Restart the entry's lifetime.</summary>
    Touch,

    /// <summary>Remove the entry's expiry.</summary>
    Persist,
}
