namespace BigPile.Http.Metrics;

/// <summary>What one connection has answered since it last added to the counters.</summary>
internal struct FastPathTally
{
    internal int Found;
    internal int NotModified;
    internal int NotFound;

    /// <summary>The status of the single answer that was counted since an earlier state.</summary>
    internal readonly int StatusSince(in FastPathTally earlier)
    {
        if (Found != earlier.Found)
            return 200;
        return NotModified != earlier.NotModified ? 304 : 404;
    }
}
