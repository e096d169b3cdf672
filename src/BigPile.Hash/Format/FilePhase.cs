namespace BigPile.Hash.Format;

/// <summary>What the head says of who writes the file.</summary>
internal enum FilePhase
{
    /// <summary>Nobody: it was closed.</summary>
    Closed = 1,

    /// <summary>A process has it open.</summary>
    Open = 2,

    /// <summary>A process recovers it: chains mean nothing.</summary>
    Recovering = 3,

    /// <summary>A process removes all: nothing in it counts any more.</summary>
    Clearing = 4,
}
