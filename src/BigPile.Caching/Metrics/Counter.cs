namespace BigPile.Caching.Metrics;

/// <summary>The counters of a table. The first three outlive the process if its index does.</summary>
internal enum Counter
{
    /// <summary>Live entries.</summary>
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
