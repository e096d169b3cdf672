namespace BigPile.Http.FastPath;

/// <summary>What the connection does after it has answered what it could.</summary>
internal enum FastPathStep
{
    /// <summary>Read: every received request is answered.</summary>
    Read,

    /// <summary>Read the rest of a partial head.</summary>
    ReadMore,

    /// <summary>Flush the answers; more requests are waiting.</summary>
    Flush,

    /// <summary>Hand the next request over to the full stack.</summary>
    HandOver,

    /// <summary>Close the connection, as the last answer announced.</summary>
    Close,
}
