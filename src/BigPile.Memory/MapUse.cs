namespace BigPile.Memory;

/// <summary>How a mapped file will be used.</summary>
internal enum MapUse
{
    /// <summary>No special pattern.</summary>
    Usual,

    /// <summary>Random access to all of it: huge pages, if the file system grants them.</summary>
    Large,

    /// <summary>Few pages: no read-ahead, which would take memory.</summary>
    Few,
}
