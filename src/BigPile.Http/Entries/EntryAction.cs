namespace BigPile.Http.Entries;

/// <summary>What a POST to an entry's path asks for.</summary>
internal enum EntryAction
{
    /// <summary>To put an entry that is not there.</summary>
    Create,

    /// <summary>To begin the entry's lifetime anew.</summary>
    Touch,

    /// <summary>To let the entry live without an end.</summary>
    Persist,
}
