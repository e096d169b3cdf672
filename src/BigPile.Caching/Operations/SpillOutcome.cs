namespace BigPile.Caching.Operations;

/// <summary>What was found of a key that memory did not have.</summary>
internal enum SpillOutcome
{
    /// <summary>There is no such entry.</summary>
    Missing,

    /// <summary>Memory has it: it was put, or came back, meanwhile.</summary>
    InMemory,

    /// <summary>It has come back to memory; its block was copied.</summary>
    Promoted,

    /// <summary>Nothing in memory may go for it; its block was copied.</summary>
    MemoryFull,
}
