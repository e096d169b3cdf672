namespace BigPile.Http.FastPath;

/// <summary>What there is of the next request's head.</summary>
internal enum HeadState
{
    /// <summary>Not all of it yet.</summary>
    Partial,

    Whole,

    /// <summary>Longer than the door takes, whole or not.</summary>
    Long,

    /// <summary>Something that the stack must judge.</summary>
    Unsupported,
}
