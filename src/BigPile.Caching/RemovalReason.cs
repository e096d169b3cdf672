namespace BigPile.Caching;

/// <summary>Why an entry left without being removed.</summary>
public enum RemovalReason
{
    /// <summary>It was evicted.</summary>
    Evicted,

    /// <summary>It expired.</summary>
    Expired,
}
