namespace BigPile.Testing;

/// <summary>How a life of a pile ends, and the next one begins.</summary>
internal enum CutEnding
{
    /// <summary>It is closed and opened.</summary>
    Restart,

    /// <summary>The process is killed, and the directory opened during the same start of the machine.</summary>
    Kill,

    /// <summary>The process is killed, and the directory opened during another start of the machine.</summary>
    OtherBoot,

    /// <summary>The power is cut.</summary>
    PowerCut,
}
