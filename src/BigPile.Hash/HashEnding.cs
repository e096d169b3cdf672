namespace BigPile.Hash;

/// <summary>How the last process that wrote a database left it, as opening it found out.</summary>
public enum HashEnding
{
    /// <summary>The database was new.</summary>
    New,

    /// <summary>It was closed.</summary>
    Closed,

    /// <summary>The process ended without closing it; the system has all that it stored.</summary>
    Killed,

    /// <summary>The machine ended, or may have: the device has what was hard-synchronized, and of what came later any part.</summary>
    PowerCut,
}
