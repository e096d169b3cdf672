namespace BigPile.Caching.Tables;

/// <summary>Who may enter a table. Open and Paused alternate; Closed is for good, and Dropped unless the drop fails.</summary>
internal enum TableState
{
    /// <summary>All calls enter.</summary>
    Open,

    /// <summary>Calls wait: what they depend on is changed.</summary>
    Paused,

    /// <summary>Calls throw: the cache was disposed.</summary>
    Closed,

    /// <summary>Calls throw: the table was dropped.</summary>
    Dropped,
}
