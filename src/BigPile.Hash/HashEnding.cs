namespace BigPile.Hash;

/// <summary>How the last writing process left a database, as the opening found.</summary>
public enum HashEnding
{
    /// <summary>The database was new.</summary>
    New,

    /// <summary>It was closed.</summary>
    Closed,

    /// <summary>The process ended without closing it; the operating system has all that it stored.</summary>
    Killed,

    /// <summary>The machine ended, or may have: what was hard-synchronized is there; of later changes any part may be.</summary>
    PowerCut,
}
