namespace BigPile.Allocation;

/// <summary>For which blocks a page is taken.</summary>
internal enum PageUse
{
    /// <summary>For any: none are kept apart.</summary>
    Any,

    /// <summary>For blocks that stay.</summary>
    Lasting,

    /// <summary>For blocks that may be evicted when the pile is full.</summary>
    Evictable,
}
