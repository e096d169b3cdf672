namespace BigPile.Caching;

/// <summary>Why an entry went that nobody removed.</summary>
public enum RemovalReason
{
    /// <summary>It had to make room for another.</summary>
    Evicted,

    /// <summary>Its time was over.</summary>
    Expired,
}
