namespace BigPile.Caching;

/// <summary>What a table does when the place where a key belongs is full.</summary>
public enum CollisionMode
{
    /// <summary>
    /// Ejects the entry of least worth there: expired, then of lower priority, then least used. The cost of every operation is bounded.
    /// </summary>
    Speculative,

    /// <summary>Makes room: nothing goes but by removal, expiry, or a limit that was set.</summary>
    Durable,
}
