namespace BigPile.Caching;

/// <summary>What a table does when the bucket of a key is full.</summary>
public enum CollisionMode
{
    /// <summary>
    /// Evicts the entry of least worth in the bucket: expired, then of lower priority, then least used. The cost of every operation is
    /// bounded.
    /// </summary>
    Speculative,

    /// <summary>Extends the bucket: entries leave only by removal, expiry, or a limit.</summary>
    Durable,
}
