namespace BigPile.Hash;

/// <summary>Mistakes that tests plant, and must detect.</summary>
internal enum HashMutation
{
    /// <summary>No mistake.</summary>
    None,

    /// <summary>The link is stored before the record that it leads to.</summary>
    LinkFirst,

    /// <summary>The extent of a replaced record is freed before the new record is stored.</summary>
    FreedFirst,

    /// <summary>The extent of a hard-synchronized record is reused at once.</summary>
    NothingDeferred,

    /// <summary>A removal leaves no tombstone.</summary>
    NoTombstones,

    /// <summary>A removed record is not marked dead.</summary>
    NoMarks,

    /// <summary>Readers do not check whether their stripe has changed during the read.</summary>
    ReadersDoNotValidate,
}
