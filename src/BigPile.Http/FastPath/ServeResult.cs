namespace BigPile.Http.FastPath;

/// <summary>Why the fast path stopped serving.</summary>
internal enum ServeResult
{
    /// <summary>The connection ends.</summary>
    End,

    /// <summary>The stack canceled its pending read.</summary>
    Canceled,

    /// <summary>The next request is for the full stack.</summary>
    HandOver,
}
