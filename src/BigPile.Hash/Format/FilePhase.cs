namespace BigPile.Hash.Format;

/// <summary>The phase that the header states.</summary>
internal enum FilePhase
{
    /// <summary>The database was closed.</summary>
    Closed = 1,

    /// <summary>A process has it open.</summary>
    Open = 2,

    /// <summary>A process recovers it: the chains are not valid.</summary>
    Recovering = 3,

    /// <summary>A process clears it: no record is valid any more.</summary>
    Clearing = 4,
}
