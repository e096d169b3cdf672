namespace BigPile.Http.FastPath;

/// <summary>How much of the next request's head has arrived.</summary>
internal enum HeadState
{
    /// <summary>A part of it.</summary>
    Partial,

    Whole,

    /// <summary>More bytes than the fast path supports, complete or not.</summary>
    Long,

    /// <summary>Not a head that the fast path supports: the stack must judge it.</summary>
    Unsupported,
}
