namespace BigPile.Caching.Metrics;

/// <summary>What a table counts.</summary>
internal enum Counter
{
    /// <summary>Entries there are.</summary>
    Entries,

    /// <summary>Bytes of their blocks in the pile, headers and slack included.</summary>
    FootprintBytes,

    /// <summary>Bytes of their payloads.</summary>
    PayloadBytes,
    Hits,
    Misses,
    Inserts,
    Replacements,
    Overwrites,
    Collisions,
    Removals,
    Evictions,
    Expirations,
    FactoryRuns,
}
