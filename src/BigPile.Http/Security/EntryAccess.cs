namespace BigPile.Http.Security;

/// <summary>A guard's decision on a read.</summary>
internal enum EntryAccess
{
    /// <summary>Serve it.</summary>
    Allowed,

    /// <summary>Leave the answer to the full stack.</summary>
    Other,
}
