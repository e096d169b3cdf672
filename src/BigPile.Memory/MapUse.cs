namespace BigPile.Memory;

/// <summary>How a mapped file will be used.</summary>
internal enum MapUse
{
    /// <summary>As most are.</summary>
    Usual,

    /// <summary>All of it, at any place: huge pages, where the file system gives them on request.</summary>
    Large,

    /// <summary>A few of its pages: no others are read ahead, and so take memory.</summary>
    Few,
}
