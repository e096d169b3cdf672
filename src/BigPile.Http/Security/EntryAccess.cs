namespace BigPile.Http.Security;

/// <summary>What a guard says of a read.</summary>
internal enum EntryAccess
{
    /// <summary>Serve it.</summary>
    Allowed,

    /// <summary>Leave the answer to the full stack.</summary>
    Other,
}
