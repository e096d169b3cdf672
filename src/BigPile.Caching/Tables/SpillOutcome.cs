namespace BigPile.Caching.Tables;

/// <summary>The outcome of a lookup of a key that memory did not have.</summary>
internal enum SpillOutcome
{
    /// <summary>There is no entry.</summary>
    Missing,

    /// <summary>Memory has it: it was put or promoted meanwhile.</summary>
    InMemory,

    /// <summary>It was promoted; its block was copied.</summary>
    Promoted,

    /// <summary>It stays in the file as nothing in memory may be evicted for it; its block was copied.</summary>
    MemoryFull,
}
