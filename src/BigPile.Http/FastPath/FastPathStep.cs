namespace BigPile.Http.FastPath;

/// <summary>What comes after the requests that were answered.</summary>
internal enum FastPathStep
{
    /// <summary>Everything was answered.</summary>
    Read,

    /// <summary>A head that is not whole.</summary>
    ReadMore,

    /// <summary>More requests, once the answers have gone out.</summary>
    Flush,

    /// <summary>A request of the stack.</summary>
    HandOver,

    /// <summary>The end: the last answer said so.</summary>
    Close,
}
