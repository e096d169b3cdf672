namespace BigPile.Http.FastPath;

/// <summary>What a connection waits for, and so which time limit it is under.</summary>
internal enum TimeoutPhase
{
    /// <summary>Nothing that the door limits: it works, or the stack has the connection.</summary>
    None,

    /// <summary>The first byte of a request.</summary>
    Idle,

    /// <summary>The rest of a head.</summary>
    Head,

    /// <summary>The client, to take what was sent.</summary>
    Flush,
}
