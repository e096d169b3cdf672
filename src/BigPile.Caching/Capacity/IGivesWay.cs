namespace BigPile.Caching.Capacity;

/// <summary>A table, as its full pile sees it.</summary>
internal interface IGivesWay
{
    /// <summary>The footprint of the entries that may go; 0 where none may.</summary>
    long EvictableBytes { get; }

    /// <summary>Evicts about so many bytes, by the table's own policy. The caller is outside of critical regions.</summary>
    void GiveWay(long bytes);

    /// <summary>Writes what it has evicted to its file. The caller is outside of critical regions and holds no stripe lock.</summary>
    void Drain();
}
