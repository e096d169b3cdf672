namespace BigPile.Http.FastPath;

/// <summary>What a connection waits for; each phase has a timeout.</summary>
internal enum TimeoutPhase
{
    /// <summary>Nothing with a timeout here: it works, or the stack has the connection.</summary>
    None,

    /// <summary>The first byte of a request.</summary>
    Idle,

    /// <summary>The rest of a head.</summary>
    Head,

    /// <summary>The client, to receive what was sent.</summary>
    Flush,
}
