namespace BigPile.Hash;

/// <summary>Wrong ways to store, for tests that must notice them.</summary>
internal enum HashMutation
{
    /// <summary>The right way.</summary>
    None,

    /// <summary>For tests: the link is stored ahead of the record that it leads to.</summary>
    LinkFirst,

    /// <summary>For tests: the room of a record that is replaced is given back ahead of the one that takes its place.</summary>
    FreedFirst,

    /// <summary>For tests: the room of a record that was hard-synchronized is used again at once.</summary>
    NothingDeferred,

    /// <summary>For tests: a removal leaves no tombstone.</summary>
    NoTombstones,

    /// <summary>For tests: what was removed is not marked dead.</summary>
    NoMarks,

    /// <summary>For tests: readers do not look whether their stripe was changed meanwhile.</summary>
    ReadersDoNotValidate,
}
